/**
 * Chains the consent ledger, one chain per list (docs/guide/consent.md). Expands only: rows that a node of the previous
 * version inserts, like all earlier rows, stay outside of the chain (seq is null), because their commitment would need
 * the personId, which only the service can open.
 *
 * `consent_chains` has no foreign key to the list: the chain outlives it.
 */
export const migration0003 = {
  name: '0003-consent-ledger',
  sql: `
ALTER TABLE accounts ADD COLUMN evidence_retain_days integer NOT NULL DEFAULT 1826
  CHECK (evidence_retain_days BETWEEN 1 AND 36525);

CREATE TABLE consent_chains (
  account_id  text NOT NULL REFERENCES accounts ON DELETE CASCADE,
  list_id     text NOT NULL,
  length      bigint NOT NULL CHECK (length >= 1),
  head        bytea NOT NULL CHECK (octet_length(head) = 32),
  PRIMARY KEY (account_id, list_id)
);

ALTER TABLE consents
  ADD COLUMN seq         bigint CHECK (seq >= 1),
  ADD COLUMN salt        bytea CHECK (octet_length(salt) = 32),
  ADD COLUMN commitment  bytea CHECK (octet_length(commitment) = 32),
  ADD COLUMN entry_hash  bytea CHECK (octet_length(entry_hash) = 32),
  ADD COLUMN erased_at   timestamptz(3),
  ADD CONSTRAINT consents_chained CHECK ((seq IS NULL) = (entry_hash IS NULL) AND (seq IS NULL) = (commitment IS NULL)),
  -- an erased record has nothing left but its place in the chain
  ALTER COLUMN kind DROP NOT NULL,
  ALTER COLUMN person_ref DROP NOT NULL,
  ALTER COLUMN person_id_sealed DROP NOT NULL,
  ALTER COLUMN shown_by DROP NOT NULL;
CREATE UNIQUE INDEX consents_in_chain ON consents (account_id, list_id, seq) WHERE seq IS NOT NULL;
CREATE INDEX consents_unchained ON consents (account_id, consent_id) WHERE seq IS NULL;
CREATE INDEX consents_by_evidence_age ON consents (account_id, greatest(recorded_at, face_delete_after)) WHERE erased_at IS NULL;
`,
} as const;
