/**
 * The planner's statistics quote values: disables them for these columns and removes the existing ones, which a change
 * of type drops even if the type stays the same.
 */
export const migration0014 = {
  name: '0014-no-statistics-of-people',
  sql: `
ALTER TABLE people ALTER COLUMN person_id TYPE text, ALTER COLUMN person_id SET STATISTICS 0;
ALTER TABLE faces ALTER COLUMN record TYPE bytea, ALTER COLUMN record SET STATISTICS 0;
`,
} as const;
