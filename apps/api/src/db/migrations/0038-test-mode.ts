/** Test accounts; webhooks whose notifications are fetched by who listens, instead of sent. */
export const migration0038 = {
  name: '0038-test-mode',
  sql: `
ALTER TABLE accounts ADD COLUMN mode text NOT NULL DEFAULT 'live' CHECK (mode IN ('live', 'test'));
ALTER TABLE webhooks ADD COLUMN delivery text NOT NULL DEFAULT 'push' CHECK (delivery IN ('push', 'pull'));
`,
} as const;
