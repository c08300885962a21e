/**
 * What devices do with people who come again, and where they send check-ins; the secret is sealed with the account's
 * key.
 */
export const migration0020 = {
  name: '0020-check-ins-of-lists',
  sql: `
ALTER TABLE lists
  ADD COLUMN re_entry text NOT NULL DEFAULT 'off' CHECK (re_entry IN ('off', 'warn', 'refuse')),
  ADD COLUMN check_in_url text,
  ADD COLUMN check_in_secret_sealed bytea,
  ADD COLUMN check_in_secret_at timestamptz(3),
  ADD CHECK ((check_in_secret_sealed IS NULL) = (check_in_secret_at IS NULL));
`,
} as const;
