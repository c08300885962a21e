/**
 * What organisers note of their resources. A person's is sealed under the account's key, with a pseudonym of each key and
 * value to find people by; null for none.
 */
export const migration0033 = {
  name: '0033-metadata',
  sql: `
ALTER TABLE events ADD COLUMN metadata jsonb NOT NULL DEFAULT '{}';
ALTER TABLE lists ADD COLUMN metadata jsonb NOT NULL DEFAULT '{}';
ALTER TABLE devices ADD COLUMN metadata jsonb NOT NULL DEFAULT '{}';
ALTER TABLE api_keys ADD COLUMN metadata jsonb NOT NULL DEFAULT '{}';
ALTER TABLE people ADD COLUMN metadata_sealed bytea, ADD COLUMN metadata_refs bytea[];
CREATE INDEX people_by_metadata ON people USING gin (metadata_refs) WHERE metadata_refs IS NOT NULL;
`,
} as const;
