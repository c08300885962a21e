/**
 * Keys that are sealed once more, under a secret of their owner's that lies outside of the database; those of the
 * version before are not. What devices are told to trust lies with the keys, so that no backup sets it back.
 */
export const keyMigration0002 = {
  name: '0002-secrets',
  sql: `
ALTER TABLE wrapped_keys ADD COLUMN is_sealed boolean NOT NULL DEFAULT false;
ALTER TABLE key_store ADD COLUMN secrets_id text, ADD COLUMN signing text;
`,
} as const;
