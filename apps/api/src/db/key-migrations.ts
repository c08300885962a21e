/** The key store's migrations in order. A merged one never changes. */
export const keyMigrations: readonly { readonly name: string; readonly sql: string }[] = [
  /** The key store's own schema. In a main database, 0001-initial has created the first two tables already. */
  {
    name: '0001-keys',
    sql: `
CREATE TABLE IF NOT EXISTS wrapped_keys (
  owner_id    text NOT NULL,
  epoch       integer NOT NULL,
  kek_id      text NOT NULL,
  wrapped     bytea NOT NULL,
  created_at  timestamptz(3) NOT NULL,
  PRIMARY KEY (owner_id, epoch)
);

CREATE TABLE IF NOT EXISTS key_encryption_keys (
  kek_id      text PRIMARY KEY,
  first_seen  timestamptz(3) NOT NULL
);

CREATE TABLE shredded_owners (
  owner_id     text PRIMARY KEY,
  shredded_at  timestamptz(3) NOT NULL
);

CREATE TABLE erasures (
  seq            bigint PRIMARY KEY,
  erasure        text NOT NULL,
  remembered_at  timestamptz(3) NOT NULL
);
CREATE INDEX erasures_by_age ON erasures (remembered_at);

CREATE TABLE list_versions_seen (
  list_id     text PRIMARY KEY,
  account_id  text NOT NULL,
  version     bigint NOT NULL
);

CREATE TABLE key_store (
  only_row          boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  store_id          text NOT NULL,
  last_seq          bigint NOT NULL DEFAULT 0,
  forgotten_before  timestamptz(3)
);
`,
  },
  /**
   * Keys additionally sealed with an owner's secret that is stored outside of the database; existing keys are not yet.
   * Announced signing keys are stored with the keys, so that a restored backup does not restore an older state.
   */
  {
    name: '0002-secrets',
    sql: `
ALTER TABLE wrapped_keys ADD COLUMN is_sealed boolean NOT NULL DEFAULT false;
ALTER TABLE key_store ADD COLUMN secrets_id text, ADD COLUMN signing text;
`,
  },
];
