/**
 * Every primary key begins with the account, so that a distributed PostgreSQL can shard by account_id and an enrolment
 * touches one shard. Hashes of secrets are 256 random bits: their indexes need no UNIQUE.
 *
 * `wrapped_keys` and `key_encryption_keys` belong to the key store (crypto/key-store.ts) and have no foreign keys, so
 * that they can be in another database.
 */
export const migration0001 = {
  name: '0001-initial',
  sql: `
CREATE TABLE accounts (
  account_id        text PRIMARY KEY,
  name              text NOT NULL,
  country           text CHECK (country ~ '^[A-Z]{2}$'),
  billing_currency  text NOT NULL CHECK (billing_currency ~ '^[A-Z]{3}$'),
  plan              text,
  plan_period       integer NOT NULL DEFAULT 1,
  people_billed     integer NOT NULL DEFAULT 0 CHECK (people_billed >= 0),
  suspended_at      timestamptz(3),
  created_at        timestamptz(3) NOT NULL
);

CREATE TABLE api_keys (
  account_id  text NOT NULL REFERENCES accounts ON DELETE CASCADE,
  key_id      text NOT NULL,
  key_sha256  bytea NOT NULL CHECK (octet_length(key_sha256) = 32),
  name        text NOT NULL,
  created_at  timestamptz(3) NOT NULL,
  revoked_at  timestamptz(3),
  PRIMARY KEY (account_id, key_id)
);
CREATE INDEX api_keys_by_hash ON api_keys (key_sha256);

CREATE TABLE billed_people (
  account_id        text NOT NULL REFERENCES accounts ON DELETE CASCADE,
  plan_period       integer NOT NULL,
  person_hmac       bytea NOT NULL CHECK (octet_length(person_hmac) = 32),
  first_enrolled_at timestamptz(3) NOT NULL,
  PRIMARY KEY (account_id, plan_period, person_hmac)
);

CREATE TABLE events (
  account_id  text NOT NULL REFERENCES accounts ON DELETE CASCADE,
  event_id    text NOT NULL,
  name        text NOT NULL,
  starts_at   timestamptz(3) NOT NULL,
  ends_at     timestamptz(3) NOT NULL CHECK (ends_at >= starts_at),
  country     text CHECK (country ~ '^[A-Z]{2}$'),
  created_at  timestamptz(3) NOT NULL,
  PRIMARY KEY (account_id, event_id)
);

CREATE TABLE lists (
  account_id            text NOT NULL REFERENCES accounts ON DELETE CASCADE,
  list_id               text NOT NULL,
  event_id              text,
  name                  text NOT NULL,
  country               text CHECK (country ~ '^[A-Z]{2}$'),
  retain_days           integer NOT NULL CHECK (retain_days >= 0),
  retention_deadline    timestamptz(3),
  list_version          bigint NOT NULL DEFAULT 1,
  enrollment_closed_at  timestamptz(3),
  ended_at              timestamptz(3),
  deleting_at           timestamptz(3),
  created_at            timestamptz(3) NOT NULL,
  PRIMARY KEY (account_id, list_id),
  FOREIGN KEY (account_id, event_id) REFERENCES events (account_id, event_id),
  CHECK ((event_id IS NULL) = (retention_deadline IS NULL))
);
CREATE UNIQUE INDEX lists_one_per_event ON lists (account_id, event_id) WHERE event_id IS NOT NULL;
CREATE INDEX lists_being_deleted ON lists (deleting_at) WHERE deleting_at IS NOT NULL;

CREATE TABLE list_epochs (
  account_id       text NOT NULL,
  list_id          text NOT NULL,
  epoch            integer NOT NULL CHECK (epoch >= 1),
  engine_id        text NOT NULL,
  dimension        integer NOT NULL CHECK (dimension > 0),
  match_threshold  double precision NOT NULL,
  check_record     bytea NOT NULL,
  created_at       timestamptz(3) NOT NULL,
  PRIMARY KEY (account_id, list_id, epoch),
  FOREIGN KEY (account_id, list_id) REFERENCES lists (account_id, list_id) ON DELETE CASCADE
);

CREATE TABLE faces (
  account_id        text NOT NULL,
  list_id           text NOT NULL,
  epoch             integer NOT NULL,
  tag               bytea NOT NULL CHECK (octet_length(tag) = 16),
  record            bytea NOT NULL,
  model_id          text NOT NULL,
  delete_after      timestamptz(3) NOT NULL,
  version           bigint NOT NULL,
  withheld_version  bigint,
  PRIMARY KEY (account_id, list_id, epoch, tag),
  FOREIGN KEY (account_id, list_id, epoch) REFERENCES list_epochs (account_id, list_id, epoch) ON DELETE CASCADE
);
CREATE INDEX faces_by_version ON faces (account_id, list_id, version);
CREATE INDEX faces_by_delete_after ON faces (account_id, list_id, delete_after);

CREATE TABLE face_removals (
  account_id  text NOT NULL,
  list_id     text NOT NULL,
  epoch       integer NOT NULL,
  tag         bytea NOT NULL CHECK (octet_length(tag) = 16),
  version     bigint NOT NULL,
  removed_at  timestamptz(3) NOT NULL,
  PRIMARY KEY (account_id, list_id, epoch, tag),
  FOREIGN KEY (account_id, list_id, epoch) REFERENCES list_epochs (account_id, list_id, epoch) ON DELETE CASCADE
);
CREATE INDEX face_removals_by_version ON face_removals (account_id, list_id, version);
CREATE INDEX face_removals_by_age ON face_removals (removed_at);

CREATE TABLE people (
  account_id       text NOT NULL,
  list_id          text NOT NULL,
  person_id        text COLLATE "C" NOT NULL,
  row_id           uuid NOT NULL,
  model_id         text NOT NULL,
  consent_version  text NOT NULL,
  face_epoch       integer NOT NULL,
  face_tag         bytea NOT NULL CHECK (octet_length(face_tag) = 16),
  delete_after     timestamptz(3) NOT NULL,
  enrolled_at      timestamptz(3) NOT NULL,
  updated_at       timestamptz(3) NOT NULL,
  PRIMARY KEY (account_id, list_id, person_id),
  FOREIGN KEY (account_id, list_id) REFERENCES lists (account_id, list_id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX people_in_order ON people (account_id, list_id, row_id);

CREATE TABLE consents (
  account_id                   text NOT NULL REFERENCES accounts ON DELETE CASCADE,
  consent_id                   uuid NOT NULL,
  list_id                      text NOT NULL,
  kind                         text NOT NULL CHECK (kind IN ('given', 'withdrawn')),
  person_ref                   bytea NOT NULL CHECK (octet_length(person_ref) = 32),
  person_id_sealed             bytea NOT NULL,
  consent_version              text,
  given_at                     timestamptz(3),
  explicit_biometric_consent   boolean,
  written_release              boolean,
  under16                      boolean,
  guardian_consent             boolean,
  shown_by                     text NOT NULL CHECK (shown_by IN ('organiser', 'service')),
  wording_sha256               bytea CHECK (octet_length(wording_sha256) = 32),
  wording_language             text,
  face_delete_after            timestamptz(3),
  recorded_at                  timestamptz(3) NOT NULL,
  PRIMARY KEY (account_id, consent_id)
);
CREATE INDEX consents_by_list ON consents (account_id, list_id, consent_id);
CREATE INDEX consents_by_person ON consents (account_id, person_ref, consent_id);

CREATE TABLE devices (
  account_id      text NOT NULL,
  list_id         text NOT NULL,
  device_id       text NOT NULL,
  token_sha256    bytea NOT NULL CHECK (octet_length(token_sha256) = 32),
  name            text,
  public_key      bytea,
  key_thumbprint  bytea CHECK (octet_length(key_thumbprint) = 32),
  created_at      timestamptz(3) NOT NULL,
  expires_at      timestamptz(3),
  revoked_at      timestamptz(3),
  last_sync_at    timestamptz(3),
  PRIMARY KEY (account_id, list_id, device_id),
  FOREIGN KEY (account_id, list_id) REFERENCES lists (account_id, list_id) ON DELETE CASCADE
);
CREATE INDEX devices_by_token ON devices (token_sha256);

CREATE TABLE wipe_tombstones (
  account_id      text NOT NULL,
  token_sha256    bytea NOT NULL CHECK (octet_length(token_sha256) = 32),
  list_id         text NOT NULL,
  device_id       text NOT NULL,
  key_thumbprint  bytea,
  reason          text NOT NULL CHECK (reason IN ('device-revoked', 'list-deleted', 'account-suspended', 'retention-deadline')),
  created_at      timestamptz(3) NOT NULL,
  expires_at      timestamptz(3) NOT NULL,
  PRIMARY KEY (account_id, token_sha256)
);
CREATE INDEX wipe_tombstones_by_token ON wipe_tombstones (token_sha256);

CREATE TABLE wrapped_keys (
  owner_id    text NOT NULL,
  epoch       integer NOT NULL,
  kek_id      text NOT NULL,
  wrapped     bytea NOT NULL,
  created_at  timestamptz(3) NOT NULL,
  PRIMARY KEY (owner_id, epoch)
);

CREATE TABLE key_encryption_keys (
  kek_id      text PRIMARY KEY,
  first_seen  timestamptz(3) NOT NULL
);
`,
} as const;
