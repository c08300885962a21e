/** What followed the first migration up to version 0.1.0, in order. */
export const migrationsTo0_1 = [
  /**
   * A token is for one ticket of one list and is deleted with the list. The ticketId is stored as a pseudonym, and
   * sealed until it is no longer needed. `attempts` counts processed photos, except those that failed for a reason
   * other than the photo. `examination` identifies the one photo being processed, until a time that no processing
   * exceeds.
   */
  {
    name: '0002-enrolment-tokens',
    sql: `
ALTER TABLE events ADD COLUMN organiser_name text, ADD COLUMN privacy_notice_url text,
  ADD CHECK ((organiser_name IS NULL) = (privacy_notice_url IS NULL));

CREATE TABLE enrolment_tokens (
  account_id         text NOT NULL,
  list_id            text NOT NULL,
  token_id           text NOT NULL,
  token_sha256       bytea NOT NULL CHECK (octet_length(token_sha256) = 32),
  ticket_ref         bytea NOT NULL CHECK (octet_length(ticket_ref) = 32),
  ticket_id_sealed   bytea,
  guest_link         boolean NOT NULL,
  attempts           integer NOT NULL DEFAULT 0 CHECK (attempts BETWEEN 0 AND 5),
  examination        uuid,
  examination_until  timestamptz(3),
  used_at            timestamptz(3),
  declined_at        timestamptz(3),
  revoked_at         timestamptz(3),
  request_sha256     bytea CHECK (octet_length(request_sha256) = 32),
  person_row_id      uuid,
  refused_request    bytea CHECK (octet_length(refused_request) = 32),
  refused_code       text,
  created_at         timestamptz(3) NOT NULL,
  expires_at         timestamptz(3) NOT NULL,
  PRIMARY KEY (account_id, list_id, token_id),
  FOREIGN KEY (account_id, list_id) REFERENCES lists (account_id, list_id) ON DELETE CASCADE,
  CHECK ((examination IS NULL) = (examination_until IS NULL))
);
CREATE INDEX enrolment_tokens_by_hash ON enrolment_tokens (token_sha256);
CREATE INDEX enrolment_tokens_by_ticket ON enrolment_tokens (account_id, list_id, ticket_ref);
CREATE INDEX enrolment_tokens_by_expiry ON enrolment_tokens (expires_at);
`,
  },
  /**
   * Chains the consent ledger, one chain per list (docs/guide/consent.md). Expands only: rows that a node of the
   * previous version inserts, like all earlier rows, stay outside of the chain (seq is null), because their commitment
   * would need the personId, which only the service can open.
   *
   * `consent_chains` has no foreign key to the list: the chain outlives it.
   */
  {
    name: '0003-consent-ledger',
    sql: `
ALTER TABLE accounts ADD COLUMN evidence_retain_days integer NOT NULL DEFAULT 1826
  CHECK (evidence_retain_days BETWEEN 1 AND 36525);

CREATE TABLE consent_chains (
  account_id  text NOT NULL REFERENCES accounts ON DELETE CASCADE,
  list_id     text NOT NULL,
  length      bigint NOT NULL CHECK (length >= 1),
  head        bytea NOT NULL CHECK (octet_length(head) = 32),
  PRIMARY KEY (account_id, list_id)
);

ALTER TABLE consents
  ADD COLUMN seq         bigint CHECK (seq >= 1),
  ADD COLUMN salt        bytea CHECK (octet_length(salt) = 32),
  ADD COLUMN commitment  bytea CHECK (octet_length(commitment) = 32),
  ADD COLUMN entry_hash  bytea CHECK (octet_length(entry_hash) = 32),
  ADD COLUMN erased_at   timestamptz(3),
  ADD CONSTRAINT consents_chained CHECK ((seq IS NULL) = (entry_hash IS NULL) AND (seq IS NULL) = (commitment IS NULL)),
  -- an erased record has nothing left but its place in the chain
  ALTER COLUMN kind DROP NOT NULL,
  ALTER COLUMN person_ref DROP NOT NULL,
  ALTER COLUMN person_id_sealed DROP NOT NULL,
  ALTER COLUMN shown_by DROP NOT NULL;
CREATE UNIQUE INDEX consents_in_chain ON consents (account_id, list_id, seq) WHERE seq IS NOT NULL;
CREATE INDEX consents_unchained ON consents (account_id, consent_id) WHERE seq IS NULL;
CREATE INDEX consents_by_evidence_age ON consents (account_id, greatest(recorded_at, face_delete_after)) WHERE erased_at IS NULL;
`,
  },
  /**
   * Webhooks and their deliveries, and indexes with which retention finds rows that are due.
   *
   * A delivery about a person holds its payload sealed under the account's key, and a pseudonym for erasure.
   */
  {
    name: '0004-webhooks',
    sql: `
CREATE TABLE webhooks (
  account_id             text NOT NULL REFERENCES accounts ON DELETE CASCADE,
  webhook_id             text NOT NULL,
  url                    text NOT NULL,
  event_types            text[] NOT NULL,
  secret_sealed          bytea NOT NULL,
  former_secret_sealed   bytea,
  former_secret_until    timestamptz(3),
  disabled_at            timestamptz(3),
  disabled_reason        text CHECK (disabled_reason IN ('owner', 'gone', 'failing')),
  failing_since          timestamptz(3),
  created_at             timestamptz(3) NOT NULL,
  PRIMARY KEY (account_id, webhook_id),
  CHECK ((disabled_at IS NULL) = (disabled_reason IS NULL)),
  CHECK ((former_secret_sealed IS NULL) = (former_secret_until IS NULL))
);

CREATE TABLE webhook_deliveries (
  account_id       text NOT NULL,
  webhook_id       text NOT NULL,
  delivery_id      text NOT NULL,
  event_type       text NOT NULL,
  payload          bytea,
  payload_sealed   boolean NOT NULL,
  person_ref       bytea CHECK (octet_length(person_ref) = 32),
  state            text NOT NULL CHECK (state IN ('pending', 'delivered', 'dead')),
  attempts         integer NOT NULL DEFAULT 0,
  next_attempt_at  timestamptz(3),
  last_attempt_at  timestamptz(3),
  last_status      integer,
  last_failure     text,
  created_at       timestamptz(3) NOT NULL,
  PRIMARY KEY (account_id, webhook_id, delivery_id),
  FOREIGN KEY (account_id, webhook_id) REFERENCES webhooks (account_id, webhook_id) ON DELETE CASCADE,
  CHECK ((state = 'pending') = (next_attempt_at IS NOT NULL))
);
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (account_id, webhook_id, next_attempt_at) WHERE state = 'pending';
CREATE INDEX webhook_deliveries_by_person ON webhook_deliveries (account_id, person_ref) WHERE person_ref IS NOT NULL;
CREATE INDEX webhook_deliveries_by_age ON webhook_deliveries (created_at);

ALTER TABLE devices ADD COLUMN wipe_told text;
ALTER TABLE wipe_tombstones ADD COLUMN wipe_told text;

CREATE INDEX people_by_delete_after ON people (delete_after);
CREATE INDEX lists_by_deadline ON lists (retention_deadline) WHERE retention_deadline IS NOT NULL AND deleting_at IS NULL;
CREATE INDEX wipe_tombstones_by_expiry ON wipe_tombstones (expires_at);
CREATE INDEX devices_by_revocation ON devices (revoked_at) WHERE revoked_at IS NOT NULL;
`,
  },
  /**
   * Requests with an `Idempotency-Key`, kept for a day, and the counters of the rate limits.
   *
   * A request's key, body and person are HMACs under the account's key; its answer is sealed under it. A row is in one
   * of these states: claimed (`claim_id`, no answer), answered (`answer_sealed`), a secret issued (only `resource_id`),
   * or erased with its person (none of them).
   *
   * `rate_limits` is UNLOGGED: a counter is not worth an fsync, and losing it in a crash is harmless. The rate limiter
   * writes the first three columns, in this order.
   */
  {
    name: '0005-requests',
    sql: `
CREATE TABLE idempotent_requests (
  account_id     text NOT NULL REFERENCES accounts ON DELETE CASCADE,
  key_hmac       bytea NOT NULL CHECK (octet_length(key_hmac) = 32),
  state          text NOT NULL CHECK (state IN ('claimed', 'answered', 'secret-issued', 'erased')),
  request_hmac   bytea CHECK (octet_length(request_hmac) = 32),
  claim_id       uuid,
  claimed_until  timestamptz(3),
  answer_sealed  bytea,
  resource_id    text,
  list_id        text,
  person_hmac    bytea CHECK (octet_length(person_hmac) = 32),
  expires_at     timestamptz(3) NOT NULL,
  PRIMARY KEY (account_id, key_hmac)
);
CREATE INDEX idempotent_requests_by_expiry ON idempotent_requests (expires_at);
CREATE INDEX idempotent_requests_by_list ON idempotent_requests (account_id, list_id, person_hmac) WHERE list_id IS NOT NULL;

CREATE UNLOGGED TABLE rate_limits (
  key     text PRIMARY KEY,
  points  integer NOT NULL DEFAULT 0,
  expire  bigint
) WITH (fillfactor = 50);
CREATE INDEX rate_limits_by_expiry ON rate_limits (expire);
`,
  },
  /**
   * The key store of this database, and the last of its remembered erasures that is applied here. Restoring a backup
   * restores this row, which so shows which erasures must be replayed. Marks accounts being deleted, so that it is
   * completed after a crash.
   */
  {
    name: '0006-key-store-link',
    sql: `
CREATE TABLE key_store_link (
  only_row          boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  store_id          text NOT NULL,
  replayed_through  bigint NOT NULL DEFAULT 0,
  replayed_at       timestamptz(3) NOT NULL
);

ALTER TABLE accounts ADD COLUMN deleting_at timestamptz(3);
`,
  },
  /**
   * The audit log of accounts, kept after an account's deletion: no foreign keys. The service never changes or removes
   * an entry, and the table rejects both from anyone who gets access to its connection.
   */
  {
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
  },
  /** The allowance of a contract, and the start of the billing period; null: the account's creation. */
  {
    name: '0008-plan-periods',
    sql: `
ALTER TABLE accounts
  ADD COLUMN plan_people integer CHECK (plan_people > 0),
  ADD COLUMN plan_period_started_at timestamptz(3);
`,
  },
  /** When each recurring job is due, for all nodes. While a job runs, `due_at` is the end of its node's lease. */
  {
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
  },
  /** The list of a delivery about a person, deleted with the list. Null for earlier deliveries, deleted by age. */
  {
    name: '0010-deliveries-of-lists',
    sql: `
ALTER TABLE webhook_deliveries ADD COLUMN list_id text;
CREATE INDEX webhook_deliveries_by_list ON webhook_deliveries (account_id, list_id) WHERE list_id IS NOT NULL;
`,
  },
  /** Former webhook secrets older than the newest former one and still valid; each with its own end. */
  {
    name: '0011-older-webhook-secrets',
    sql: `
ALTER TABLE webhooks
  ADD COLUMN older_secrets_sealed bytea[] NOT NULL DEFAULT '{}',
  ADD COLUMN older_secrets_until timestamptz(3)[] NOT NULL DEFAULT '{}',
  ADD CHECK (cardinality(older_secrets_sealed) = cardinality(older_secrets_until));
`,
  },
  /**
   * The engine of a list's new records. Lists that a node of the previous version creates during an upgrade have that
   * version's engine. The number of a dropped epoch is never reused.
   *
   * The epoch determines a template's engine; `model_id` is only written by the previous version.
   */
  {
    name: '0012-engines-of-lists',
    sql: `
ALTER TABLE lists
  ADD COLUMN engine_id text NOT NULL DEFAULT 'dlib-resnet-128-mirror/1',
  ADD COLUMN last_epoch integer NOT NULL DEFAULT 0;
UPDATE lists SET engine_id = newest.engine_id
FROM (SELECT DISTINCT ON (account_id, list_id) account_id, list_id, engine_id FROM list_epochs
      ORDER BY account_id, list_id, epoch DESC) AS newest
WHERE (lists.account_id, lists.list_id) = (newest.account_id, newest.list_id) AND lists.engine_id <> newest.engine_id;
ALTER TABLE faces ALTER COLUMN model_id SET DEFAULT '';
ALTER TABLE people ALTER COLUMN model_id SET DEFAULT '';
`,
  },
  /** Alternative for people who cannot turn their head; none for lists that a node of the previous version creates. */
  {
    name: '0013-head-turn-alternatives',
    sql: `
ALTER TABLE lists
  ADD COLUMN head_turn_alternative text NOT NULL DEFAULT 'none' CHECK (head_turn_alternative IN ('none', 'staff', 'light'));
`,
  },
  /**
   * The planner's statistics quote values: disables them for these columns and removes the existing ones, which a
   * change of type drops even if the type stays the same.
   */
  {
    name: '0014-no-statistics-of-people',
    sql: `
ALTER TABLE people ALTER COLUMN person_id TYPE text, ALTER COLUMN person_id SET STATISTICS 0;
ALTER TABLE faces ALTER COLUMN record TYPE bytea, ALTER COLUMN record SET STATISTICS 0;
`,
  },
  /**
   * Detects copied devices: the counter of each device's last answer, the last two that the device sent, and the last
   * issued before it sent the second. A copy sends a counter that the other has passed.
   */
  {
    name: '0015-copies-of-devices',
    sql: `
ALTER TABLE devices
  ADD COLUMN sync_counter bigint NOT NULL DEFAULT 0,
  ADD COLUMN sync_counter_shown bigint NOT NULL DEFAULT 0,
  ADD COLUMN sync_counter_shown_before bigint NOT NULL DEFAULT 0,
  ADD COLUMN sync_counter_floor bigint NOT NULL DEFAULT 0,
  ADD COLUMN copied_at timestamptz(3);
`,
  },
  /** Index to find out whether a deleted list had ended: only these entries of the audit log are searched by target. */
  {
    name: '0017-ended-lists',
    sql: `
CREATE INDEX audit_log_ended_lists ON audit_log (account_id, target) WHERE action = 'list.delete' AND actor_kind = 'system';
`,
  },
  /** Permitted photo sources of a list, and whether photos are checked for being pictures of pictures. */
  {
    name: '0018-photos-of-lists',
    sql: `
ALTER TABLE lists
  ADD COLUMN photo_source text NOT NULL DEFAULT 'any' CHECK (photo_source IN ('any', 'camera')),
  ADD COLUMN photo_check text NOT NULL DEFAULT 'none' CHECK (photo_check IN ('none', 'passive'));
`,
  },
];
