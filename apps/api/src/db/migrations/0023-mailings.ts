/**
 * Mailings of guest links, and the day on which a guest's page was first opened. A recipient's address and ticketId are
 * sealed with the account's key and erased separately. `next_attempt_at` is the lease of an attempt in progress.
 */
export const migration0023 = {
  name: '0023-mailings',
  sql: `
ALTER TABLE enrolment_tokens ADD COLUMN opened_on date;

CREATE TABLE mailings (
  account_id          text NOT NULL,
  list_id             text NOT NULL,
  mailing_id          text NOT NULL,
  reminds_mailing_id  text,
  texts               jsonb NOT NULL,
  default_language    text NOT NULL,
  time_zone           text NOT NULL,
  reply_to            text,
  valid_for_hours     integer NOT NULL,
  cancelled_at        timestamptz(3),
  created_at          timestamptz(3) NOT NULL,
  PRIMARY KEY (account_id, list_id, mailing_id),
  FOREIGN KEY (account_id, list_id) REFERENCES lists (account_id, list_id) ON DELETE CASCADE
);

CREATE TABLE mailing_recipients (
  account_id        text NOT NULL,
  list_id           text NOT NULL,
  mailing_id        text NOT NULL,
  position          integer NOT NULL,
  ticket_ref        bytea NOT NULL CHECK (octet_length(ticket_ref) = 32),
  ticket_id_sealed  bytea,
  address_sealed    bytea,
  state             text NOT NULL CHECK (state IN ('waiting', 'sent', 'bounced', 'failed', 'skipped', 'cancelled')),
  attempts          integer NOT NULL DEFAULT 0,
  next_attempt_at   timestamptz(3),
  reason            text,
  smtp_status       text,
  sent_at           timestamptz(3),
  PRIMARY KEY (account_id, list_id, mailing_id, position),
  FOREIGN KEY (account_id, list_id, mailing_id) REFERENCES mailings (account_id, list_id, mailing_id) ON DELETE CASCADE,
  CHECK ((state = 'waiting') = (next_attempt_at IS NOT NULL))
);
CREATE INDEX mailing_recipients_due ON mailing_recipients (account_id, next_attempt_at) WHERE state = 'waiting';
CREATE INDEX mailing_recipients_by_ticket ON mailing_recipients (account_id, list_id, ticket_ref);
CREATE INDEX mailing_recipients_kept ON mailing_recipients (account_id, list_id) WHERE ticket_id_sealed IS NOT NULL;
`,
} as const;
