/**
 * The key store of this database, and the last of its remembered erasures that is applied here. Restoring a backup
 * restores this row, which so shows which erasures must be replayed. Marks accounts being deleted, so that it is
 * completed after a crash.
 */
export const migration0006 = {
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
} as const;
