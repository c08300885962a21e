/**
 * Keys additionally sealed with an owner's secret that is stored outside of the database; existing keys are not yet.
 * Announced signing keys are stored with the keys, so that a restored backup does not restore an older state.
 */
export const keyMigration0002 = {
  name: '0002-secrets',
  sql: `
ALTER TABLE wrapped_keys ADD COLUMN is_sealed boolean NOT NULL DEFAULT false;
ALTER TABLE key_store ADD COLUMN secrets_id text, ADD COLUMN signing text;
`,
} as const;
