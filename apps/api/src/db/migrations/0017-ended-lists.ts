/** Index to find out whether a deleted list had ended: only these entries of the audit log are searched by target. */
export const migration0017 = {
  name: '0017-ended-lists',
  sql: `
CREATE INDEX audit_log_ended_lists ON audit_log (account_id, target) WHERE action = 'list.delete' AND actor_kind = 'system';
`,
} as const;
