/**
 * Finds out whether a list that is gone went because its time was over: only these entries of the audit log are looked
 * for by what they are about.
 */
export const migration0017 = {
  name: '0017-ended-lists',
  sql: `
CREATE INDEX audit_log_ended_lists ON audit_log (account_id, target) WHERE action = 'list.delete' AND actor_kind = 'system';
`,
} as const;
