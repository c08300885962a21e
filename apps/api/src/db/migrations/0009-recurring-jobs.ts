/** When each recurring job is due, for all nodes. While a job runs, `due_at` is the end of its node's lease. */
export const migration0009 = {
  name: '0009-recurring-jobs',
  sql: `
CREATE TABLE recurring_jobs (
  name          text PRIMARY KEY,
  due_at        timestamptz(3) NOT NULL,
  taken_by      uuid,
  last_done_at  timestamptz(3),
  failures      integer NOT NULL DEFAULT 0
);
`,
} as const;
