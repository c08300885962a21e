/**
 * People of the organiser who use the dashboard: users, their passkeys, the links that sign in once, and their
 * sessions. Of secrets there are hashes alone. Challenges belong to no account: they are made before anybody has signed
 * in, and live for minutes.
 */
export const migration0022 = {
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
} as const;
