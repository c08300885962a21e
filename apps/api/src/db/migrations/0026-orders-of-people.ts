/**
 * A list's people by personId and by deadline. Migration 0014 left the column's collation to the database, so the index
 * names its own: by code points, which a prefix can be looked up in. A large table may have both beforehand, made
 * concurrently.
 */
export const migration0026 = {
  name: '0026-orders-of-people',
  sql: `
CREATE INDEX IF NOT EXISTS people_by_person_id ON people (account_id, list_id, person_id COLLATE "C");
CREATE INDEX IF NOT EXISTS people_by_deadline ON people (account_id, list_id, delete_after, row_id);
`,
} as const;
