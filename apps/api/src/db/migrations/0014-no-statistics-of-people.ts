/**
 * The planner's statistics quote values: of these columns it keeps none, and what it has kept goes (a change of type
 * drops it, and to the same type that is all it does).
 */
export const migration0014 = {
  name: '0014-no-statistics-of-people',
  sql: `
ALTER TABLE people ALTER COLUMN person_id TYPE text, ALTER COLUMN person_id SET STATISTICS 0;
ALTER TABLE faces ALTER COLUMN record TYPE bytea, ALTER COLUMN record SET STATISTICS 0;
`,
} as const;
