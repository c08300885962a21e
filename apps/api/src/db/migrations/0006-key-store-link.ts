/**
 * Which key store this database belongs to, and how far the erasures that the key store remembers are known to be
 * applied here. The row goes back in time with a restored backup, and so tells what must be replayed. Accounts in
 * deletion are finished after a crash.
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
