/** The list of a delivery about a person, deleted with the list. Null for earlier deliveries, deleted by age. */
export const migration0010 = {
  name: '0010-deliveries-of-lists',
  sql: `
ALTER TABLE webhook_deliveries ADD COLUMN list_id text;
CREATE INDEX webhook_deliveries_by_list ON webhook_deliveries (account_id, list_id) WHERE list_id IS NOT NULL;
`,
} as const;
