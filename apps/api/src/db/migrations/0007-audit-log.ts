/**
 * The audit log of accounts, kept after an account's deletion: no foreign keys. The service never changes or removes an
 * entry, and the table rejects both from anyone who gets access to its connection.
 */
export const migration0007 = {
  name: '0007-audit-log',
  sql: `
CREATE TABLE audit_log (
  account_id   text NOT NULL,
  entry_id     uuid NOT NULL,
  recorded_at  timestamptz(3) NOT NULL,
  actor_kind   text NOT NULL CHECK (actor_kind IN ('api-key', 'operator', 'system')),
  actor_name   text,
  action       text NOT NULL,
  target       text NOT NULL,
  PRIMARY KEY (account_id, entry_id)
);

CREATE FUNCTION audit_log_is_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the audit log is append-only' USING ERRCODE = 'restrict_violation';
END
$$;
CREATE TRIGGER audit_log_keeps_entries BEFORE UPDATE OR DELETE ON audit_log
  FOR EACH ROW EXECUTE FUNCTION audit_log_is_append_only();
CREATE TRIGGER audit_log_keeps_all BEFORE TRUNCATE ON audit_log
  FOR EACH STATEMENT EXECUTE FUNCTION audit_log_is_append_only();
`,
} as const;
