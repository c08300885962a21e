/**
 * Whom the devices of a list let in, by a pseudonym: what each device last told of each person, and of an erased person
 * that it is gone. A head numbers the changes of its list, and is locked by each of them.
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
  account_id    text NOT NULL,
  list_id       text NOT NULL,
  tag           bytea NOT NULL CHECK (octet_length(tag) = 16),
  device_id     text NOT NULL,
  version       bigint NOT NULL,
  sequence      bigint NOT NULL,
  admitted_at   timestamptz(3) NOT NULL,
  taken_back    boolean NOT NULL,
  knew          boolean NOT NULL,
  delete_after  timestamptz(3),
  PRIMARY KEY (account_id, list_id, tag, device_id),
  FOREIGN KEY (account_id, list_id) REFERENCES admission_heads (account_id, list_id) ON DELETE CASCADE
);
CREATE INDEX admissions_by_device ON admissions (account_id, list_id, device_id);
CREATE INDEX admissions_by_version ON admissions (account_id, list_id, version);
CREATE INDEX admissions_due ON admissions (delete_after) WHERE delete_after IS NOT NULL;
`,
} as const;
