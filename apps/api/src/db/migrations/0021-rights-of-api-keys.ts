/** Rights and end of an API key, and the hour of its last use. Keys made before keep all rights. */
export const migration0021 = {
  name: '0021-rights-of-api-keys',
  sql: `
ALTER TABLE api_keys
  ADD COLUMN scopes text[],
  ADD COLUMN expires_at timestamptz(3),
  ADD COLUMN last_used_at timestamptz(3);
`,
} as const;
