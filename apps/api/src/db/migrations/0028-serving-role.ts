/**
 * What a role that serves, and owns nothing, may do to accounts and the consent ledger beyond reading and adding rows
 * (db/roles.ts): each function does one thing, with its owner's rights, on the tables of this schema alone.
 */
export const migration0028 = {
  name: '0028-serving-role',
  sql: `
SELECT set_config('search_path', quote_ident(current_schema()) || ', pg_temp', true);

-- An erasure of evidence does not believe the caller's clock.
CREATE FUNCTION evidence_clock() RETURNS timestamptz LANGUAGE sql STABLE AS 'SELECT now()';

-- The next place of a list's chain. Concurrent calls wait here, until the transaction ends.
CREATE FUNCTION next_consent_place(account text, list text, genesis bytea, commitment bytea)
RETURNS TABLE (length bigint, head bytea)
LANGUAGE sql SECURITY DEFINER SET search_path FROM CURRENT AS $$
  INSERT INTO consent_chains AS chain (account_id, list_id, length, head)
  VALUES (account, list, 1, sha256(genesis || int8send(1::bigint) || commitment))
  ON CONFLICT (account_id, list_id) DO UPDATE
    SET length = chain.length + 1, head = sha256(chain.head || int8send(chain.length + 1) || commitment)
  RETURNING chain.length, chain.head
$$;

-- Erases records past the account's retention: unchained ones whole, others but for their place. At most most_rows.
CREATE FUNCTION erase_consents(account text, before timestamptz, erased timestamptz, most_rows integer)
RETURNS integer
LANGUAGE sql SECURITY DEFINER SET search_path FROM CURRENT AS $$
  WITH due AS (
    SELECT consent_id, seq FROM consents
    WHERE account_id = account AND erased_at IS NULL AND greatest(recorded_at, face_delete_after) <= least(before, (
      SELECT evidence_clock() - make_interval(days => evidence_retain_days) FROM accounts WHERE account_id = account))
    LIMIT most_rows
  ), unchained AS (
    DELETE FROM consents USING due
    WHERE account_id = account AND consents.consent_id = due.consent_id AND due.seq IS NULL RETURNING 1
  ), chained AS (
    UPDATE consents SET erased_at = erased, kind = NULL, person_ref = NULL, person_id_sealed = NULL,
      consent_version = NULL, given_at = NULL, explicit_biometric_consent = NULL, written_release = NULL,
      under16 = NULL, guardian_consent = NULL, shown_by = NULL, wording_sha256 = NULL, wording_language = NULL,
      face_delete_after = NULL, salt = NULL
    FROM due WHERE account_id = account AND consents.consent_id = due.consent_id AND due.seq IS NOT NULL RETURNING 1
  )
  SELECT (SELECT count(*) FROM unchained)::integer + (SELECT count(*) FROM chained)::integer
$$;

-- Removes an account in deletion with everything of it, once the audit log tells of the deletion. Whether it is gone.
CREATE FUNCTION delete_account(account text) RETURNS boolean
LANGUAGE sql SECURITY DEFINER SET search_path FROM CURRENT AS $$
  DELETE FROM accounts WHERE account_id = account AND deleting_at IS NOT NULL
    AND EXISTS (SELECT FROM audit_log WHERE account_id = account AND action = 'account.delete');
  SELECT NOT EXISTS (SELECT FROM accounts WHERE account_id = account)
$$;

REVOKE ALL ON FUNCTION next_consent_place, erase_consents, delete_account FROM PUBLIC;
`,
} as const;
