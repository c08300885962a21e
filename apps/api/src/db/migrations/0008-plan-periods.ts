/** The allowance of a contract, and the start of the billing period; null: the account's creation. */
export const migration0008 = {
  name: '0008-plan-periods',
  sql: `
ALTER TABLE accounts
  ADD COLUMN plan_people integer CHECK (plan_people > 0),
  ADD COLUMN plan_period_started_at timestamptz(3);
`,
} as const;
