/** Former webhook secrets older than the newest former one and still valid; each with its own end. */
export const migration0011 = {
  name: '0011-older-webhook-secrets',
  sql: `
ALTER TABLE webhooks
  ADD COLUMN older_secrets_sealed bytea[] NOT NULL DEFAULT '{}',
  ADD COLUMN older_secrets_until timestamptz(3)[] NOT NULL DEFAULT '{}',
  ADD CHECK (cardinality(older_secrets_sealed) = cardinality(older_secrets_until));
`,
} as const;
