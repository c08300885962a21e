/** From version 0.1.0 up to 0.2.0, in order. */
export const migrationsTo0_2 = [
  /**
   * How the widget looks at an event, and previews of it. A preview is in no other table: no statement that uses up
   * enrolment tokens or writes people finds one. The logo is a PNG that the service drew.
   */
  {
    name: '0019-brands-of-events',
    sql: `
CREATE TABLE event_brands (
  account_id  text NOT NULL,
  event_id    text NOT NULL,
  looks       jsonb NOT NULL,
  logo        bytea CHECK (octet_length(logo) <= 49152),
  PRIMARY KEY (account_id, event_id),
  FOREIGN KEY (account_id, event_id) REFERENCES events (account_id, event_id) ON DELETE CASCADE
);

CREATE TABLE widget_previews (
  account_id          text NOT NULL,
  event_id            text NOT NULL,
  token_id            text NOT NULL,
  token_sha256        bytea NOT NULL CHECK (octet_length(token_sha256) = 32),
  organiser_name      text NOT NULL,
  privacy_notice_url  text NOT NULL,
  looks               jsonb NOT NULL,
  logo                bytea CHECK (octet_length(logo) <= 49152),
  expires_at          timestamptz(3) NOT NULL,
  PRIMARY KEY (account_id, event_id, token_id),
  FOREIGN KEY (account_id, event_id) REFERENCES events (account_id, event_id) ON DELETE CASCADE
);
CREATE INDEX widget_previews_by_hash ON widget_previews (token_sha256);
CREATE INDEX widget_previews_by_expiry ON widget_previews (expires_at);
`,
  },
  /**
   * What devices do with people who come again, and where they send check-ins; the secret is sealed with the account's
   * key.
   */
  {
    name: '0020-check-ins-of-lists',
    sql: `
ALTER TABLE lists
  ADD COLUMN re_entry text NOT NULL DEFAULT 'off' CHECK (re_entry IN ('off', 'warn', 'refuse')),
  ADD COLUMN check_in_url text,
  ADD COLUMN check_in_secret_sealed bytea,
  ADD COLUMN check_in_secret_at timestamptz(3),
  ADD CHECK ((check_in_secret_sealed IS NULL) = (check_in_secret_at IS NULL));
`,
  },
  /** Rights and end of an API key, and the hour of its last use. Keys made before keep all rights. */
  {
    name: '0021-rights-of-api-keys',
    sql: `
ALTER TABLE api_keys
  ADD COLUMN scopes text[],
  ADD COLUMN expires_at timestamptz(3),
  ADD COLUMN last_used_at timestamptz(3);
`,
  },
  /**
   * People of the organiser who use the dashboard: users, their passkeys, the links that sign in once, and their
   * sessions. Of secrets there are hashes alone. Challenges belong to no account: they are made before anybody has
   * signed in, and live for minutes.
   */
  {
    name: '0022-users-and-sessions',
    sql: `
CREATE TABLE users (
  account_id         text NOT NULL REFERENCES accounts ON DELETE CASCADE,
  user_id            text NOT NULL,
  email              text NOT NULL,
  name               text NOT NULL,
  role               text NOT NULL CHECK (role IN ('owner', 'manager', 'door', 'auditor')),
  language           text,
  created_at         timestamptz(3) NOT NULL,
  last_signed_in_at  timestamptz(3),
  disabled_at        timestamptz(3),
  PRIMARY KEY (account_id, user_id)
);
CREATE UNIQUE INDEX users_one_per_email ON users (account_id, email);
CREATE INDEX users_by_email ON users (email);

CREATE TABLE user_links (
  account_id    text NOT NULL,
  user_id       text NOT NULL,
  link_id       uuid NOT NULL,
  token_sha256  bytea NOT NULL CHECK (octet_length(token_sha256) = 32),
  purpose       text NOT NULL CHECK (purpose IN ('invitation', 'mail')),
  expires_at    timestamptz(3) NOT NULL,
  PRIMARY KEY (account_id, user_id, link_id),
  FOREIGN KEY (account_id, user_id) REFERENCES users (account_id, user_id) ON DELETE CASCADE
);
CREATE INDEX user_links_by_hash ON user_links (token_sha256);
CREATE INDEX user_links_by_expiry ON user_links (expires_at);

CREATE TABLE user_passkeys (
  account_id     text NOT NULL,
  user_id        text NOT NULL,
  passkey_id     text NOT NULL,
  credential_id  bytea NOT NULL CHECK (octet_length(credential_id) <= 1023),
  public_key     bytea NOT NULL,
  counter        bigint NOT NULL,
  transports     text[] NOT NULL,
  synced         boolean NOT NULL,
  name           text NOT NULL,
  created_at     timestamptz(3) NOT NULL,
  last_used_at   timestamptz(3),
  PRIMARY KEY (account_id, user_id, passkey_id),
  FOREIGN KEY (account_id, user_id) REFERENCES users (account_id, user_id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX user_passkeys_one_per_credential ON user_passkeys (account_id, user_id, credential_id);
CREATE INDEX user_passkeys_by_credential ON user_passkeys (credential_id);

CREATE TABLE user_sessions (
  account_id        text NOT NULL,
  user_id           text NOT NULL,
  session_id        text NOT NULL,
  secret_sha256     bytea NOT NULL CHECK (octet_length(secret_sha256) = 32),
  way               text NOT NULL CHECK (way IN ('passkey', 'mail', 'invitation', 'oidc')),
  browser           text,
  platform          text,
  created_at        timestamptz(3) NOT NULL,
  authenticated_at  timestamptz(3) NOT NULL,
  last_used_at      timestamptz(3) NOT NULL,
  expires_at        timestamptz(3) NOT NULL,
  PRIMARY KEY (account_id, user_id, session_id),
  FOREIGN KEY (account_id, user_id) REFERENCES users (account_id, user_id) ON DELETE CASCADE
);
CREATE INDEX user_sessions_by_hash ON user_sessions (secret_sha256);
CREATE INDEX user_sessions_by_use ON user_sessions (last_used_at);
CREATE INDEX user_sessions_by_expiry ON user_sessions (expires_at);

CREATE TABLE sign_in_challenges (
  challenge_id  text PRIMARY KEY,
  purpose       text NOT NULL CHECK (purpose IN ('sign-in', 'confirm', 'create', 'oidc')),
  challenge     bytea NOT NULL CHECK (octet_length(challenge) = 32),
  session_id    text,
  expires_at    timestamptz(3) NOT NULL,
  CHECK ((session_id IS NULL) = (purpose IN ('sign-in', 'oidc')))
);
CREATE INDEX sign_in_challenges_by_expiry ON sign_in_challenges (expires_at);

ALTER TABLE audit_log
  DROP CONSTRAINT audit_log_actor_kind_check,
  ADD CONSTRAINT audit_log_actor_kind_check CHECK (actor_kind IN ('api-key', 'user', 'operator', 'system'));
`,
  },
  /**
   * Mailings of guest links, and the day on which a guest's page was first opened. A recipient's address and ticketId
   * are sealed with the account's key and erased separately. `next_attempt_at` is the lease of an attempt in progress.
   */
  {
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
  },
  /**
   * What a device’s last sync told of its software, and its copy of the list: the one that was last sent to it, and the
   * version that it held when it asked.
   */
  {
    name: '0024-software-of-devices',
    sql: `
ALTER TABLE devices
  ADD COLUMN pack_version bigint,
  ADD COLUMN pack_people integer,
  ADD COLUMN pack_held_version bigint,
  ADD COLUMN sdk_version text,
  ADD COLUMN engine_ids text[] NOT NULL DEFAULT '{}';
`,
  },
  /**
   * The number of a list's people, right while `people_version` equals `list_version`: whatever changes people or
   * raises the version keeps both; after one that does not, such as a node of an earlier version, people are counted
   * anew at the next reading. And an event's time zone, for showing its times.
   */
  {
    name: '0025-counts-of-lists',
    sql: `
ALTER TABLE lists ADD COLUMN people integer, ADD COLUMN people_version bigint;
ALTER TABLE events ADD COLUMN time_zone text;
`,
  },
  /**
   * A list's people by personId and by deadline. Migration 0014 left the column's collation to the database, so the
   * index names its own: by code points, which a prefix can be looked up in. A large table may have both beforehand,
   * made concurrently.
   */
  {
    name: '0026-orders-of-people',
    sql: `
CREATE INDEX IF NOT EXISTS people_by_person_id ON people (account_id, list_id, person_id COLLATE "C");
CREATE INDEX IF NOT EXISTS people_by_deadline ON people (account_id, list_id, delete_after, row_id);
`,
  },
  /** How often declining with a token was undone. */
  {
    name: '0027-undone-declines',
    sql: `
ALTER TABLE enrolment_tokens ADD COLUMN undone_declines smallint NOT NULL DEFAULT 0;
`,
  },
];
