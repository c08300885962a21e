/**
 * A token is for one ticket of one list and is deleted with the list. The ticketId is stored as a pseudonym, and sealed
 * until it is no longer needed. `attempts` counts processed photos, except those that failed for a reason other than
 * the photo. `examination` identifies the one photo being processed, until a time that no processing exceeds.
 */
export const migration0002 = {
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
} as const;
