/**
 * Whom the devices of a list let in, by a pseudonym: the standing admission of each person, and one of another device
 * that did not know of it. A head numbers the changes of its list, and is locked by each of them.
 */
export const migration0037 = {
  name: '0037-shared-admissions',
  sql: `
ALTER TABLE lists ADD COLUMN re_entry_scope text NOT NULL DEFAULT 'device' CHECK (re_entry_scope IN ('device', 'list'));
CREATE TABLE admission_heads (
  account_id  text NOT NULL,
  list_id     text NOT NULL,
  version     bigint NOT NULL,
  PRIMARY KEY (account_id, list_id),
  FOREIGN KEY (account_id, list_id) REFERENCES lists (account_id, list_id) ON DELETE CASCADE
);
CREATE TABLE admissions (
  account_id      text NOT NULL,
  list_id         text NOT NULL,
  tag             bytea NOT NULL CHECK (octet_length(tag) = 16),
  version         bigint NOT NULL,
  device_id       text NOT NULL,
  sequence        bigint NOT NULL,
  admitted_at     timestamptz(3) NOT NULL,
  taken_back      boolean NOT NULL,
  also_device_id  text,
  also_sequence   bigint,
  also_at         timestamptz(3),
  delete_after    timestamptz(3),
  PRIMARY KEY (account_id, list_id, tag),
  FOREIGN KEY (account_id, list_id) REFERENCES lists (account_id, list_id) ON DELETE CASCADE
);
CREATE INDEX admissions_by_version ON admissions (account_id, list_id, version);
CREATE INDEX admissions_due ON admissions (delete_after) WHERE delete_after IS NOT NULL;
`,
} as const;
