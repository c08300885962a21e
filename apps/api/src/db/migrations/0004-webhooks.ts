/**
 * Webhooks and their deliveries, and indexes with which retention finds rows that are due.
 *
 * A delivery about a person holds its payload sealed under the account's key, and a pseudonym for erasure.
 */
export const migration0004 = {
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
} as const;
