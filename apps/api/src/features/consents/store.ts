import type { ConsentEntry } from '@svc/protocol';
import type { Connection, Transaction } from '../../db/connection.ts';

/** Key of a list's chain; the list may have been deleted. */
export interface ChainKey {
  readonly accountId: string;
  readonly listId: string;
}

/** The stored part of a consent or withdrawal: the person is sealed, and there is no biometric data. */
export interface ConsentRecord extends Omit<ConsentEntry, 'personId'> {
  readonly personRef: Buffer;
  readonly personIdSealed: Buffer;
}

/** A record's position in its chain. */
export interface ChainPlace {
  readonly seq: number;
  readonly commitment: Buffer;
  readonly entryHash: Buffer;
  /** Null after erasure. */
  readonly salt: Buffer | null;
}

/** A record's contribution to its chain. */
export interface NewEntry {
  readonly genesis: Buffer;
  readonly commitment: Buffer;
  readonly salt: Buffer;
}

export interface StoredConsent {
  readonly consentId: string;
  /** Null after erasure. */
  readonly record: ConsentRecord | null;
  /** Null for records from before the introduction of chains. */
  readonly place: ChainPlace | null;
}

export interface Chain {
  readonly listId: string;
  readonly length: number;
  readonly head: Buffer;
}

interface ConsentRow {
  readonly account_id: string;
  readonly consent_id: string;
  readonly list_id: string;
  readonly kind: ConsentEntry['kind'] | null;
  readonly person_ref: Buffer | null;
  readonly person_id_sealed: Buffer | null;
  readonly consent_version: string | null;
  readonly given_at: Date | null;
  readonly explicit_biometric_consent: boolean | null;
  readonly written_release: boolean | null;
  readonly under16: boolean | null;
  readonly guardian_consent: boolean | null;
  readonly shown_by: ConsentEntry['shownBy'];
  readonly wording_sha256: Buffer | null;
  readonly wording_language: string | null;
  readonly face_delete_after: Date | null;
  readonly recorded_at: Date;
  readonly seq: number | null;
  readonly salt: Buffer | null;
  readonly commitment: Buffer | null;
  readonly entry_hash: Buffer | null;
  readonly erased_at: Date | null;
}

interface ChainRow {
  readonly account_id: string;
  readonly list_id: string;
  readonly length: number;
  readonly head: Buffer;
}

const toPlace = ({ seq, salt, commitment, entry_hash: entryHash }: ConsentRow): ChainPlace | null =>
  seq === null || commitment === null || entryHash === null ? null : { seq, salt, commitment, entryHash };

function toRecord(row: ConsentRow): ConsentRecord | null {
  const { kind, person_ref: personRef, person_id_sealed: personIdSealed } = row;
  if (kind === null || personRef === null || personIdSealed === null) return null;
  return {
    consentId: row.consent_id,
    listId: row.list_id,
    personRef,
    personIdSealed,
    kind,
    recordedAt: row.recorded_at.toISOString(),
    consentVersion: row.consent_version,
    givenAt: row.given_at?.toISOString() ?? null,
    explicitBiometricConsent: row.explicit_biometric_consent,
    writtenRelease: row.written_release,
    under16: row.under16,
    guardianConsent: row.guardian_consent,
    shownBy: row.shown_by,
    wordingSha256: row.wording_sha256?.toString('hex') ?? null,
    wordingLanguage: row.wording_language,
    faceDeleteAfter: row.face_delete_after?.toISOString() ?? null,
  };
}

const toStored = (row: ConsentRow): StoredConsent => ({
  consentId: row.consent_id,
  record: toRecord(row),
  place: toPlace(row),
});

/** The columns after an erasure: only position and creation time stay. */
const ERASED = {
  kind: null,
  person_ref: null,
  person_id_sealed: null,
  consent_version: null,
  given_at: null,
  explicit_biometric_consent: null,
  written_release: null,
  under16: null,
  guardian_consent: null,
  shown_by: null,
  wording_sha256: null,
  wording_language: null,
  face_delete_after: null,
  salt: null,
} as const;

export type ConsentStore = ReturnType<typeof createConsentStore>;

const toRow = (record: ConsentRecord) => ({
  consent_id: record.consentId,
  list_id: record.listId,
  kind: record.kind,
  person_ref: record.personRef,
  person_id_sealed: record.personIdSealed,
  consent_version: record.consentVersion,
  given_at: record.givenAt,
  explicit_biometric_consent: record.explicitBiometricConsent,
  written_release: record.writtenRelease,
  under16: record.under16,
  guardian_consent: record.guardianConsent,
  shown_by: record.shownBy,
  wording_sha256: record.wordingSha256 === null ? null : Buffer.from(record.wordingSha256, 'hex'),
  wording_language: record.wordingLanguage,
  face_delete_after: record.faceDeleteAfter,
  recorded_at: record.recordedAt,
});

/** Concurrent appends to the chain wait here, until the transaction ends. */
const NEXT_PLACE = `
INSERT INTO consent_chains AS chain (account_id, list_id, length, head)
VALUES (:account_id, :list_id, 1, sha256(:genesis::bytea || int8send(1::bigint) || :commitment::bytea))
ON CONFLICT (account_id, list_id) DO UPDATE
  SET length = chain.length + 1, head = sha256(chain.head || int8send(chain.length + 1) || :commitment::bytea)
RETURNING length, head`;

export function createConsentStore(connection: Connection) {
  const records = (accountId: string) => connection<ConsentRow>('consents').where({ account_id: accountId });
  return {
    /**
     * Appends a record to its list's chain, whose row stays locked until the transaction ends.
     * @param entry `genesis`: predecessor hash of the first entry
     */
    async append(
      tx: Transaction,
      accountId: string,
      record: ConsentRecord,
      { genesis, commitment, salt }: NewEntry,
    ): Promise<void> {
      const row = { account_id: accountId, ...toRow(record), commitment, salt };
      const { rows } = await tx.raw<{ rows: ChainRow[] }>(NEXT_PLACE, { ...row, genesis });
      await tx('consents').insert({ ...row, seq: rows[0]?.length, entry_hash: rows[0]?.head });
    },
    /** The latest face deadline in a person's unerased records of the list; null for none. */
    async latestFaceDeleteAfter(
      tx: Transaction,
      { accountId, listId }: ChainKey,
      personRef: Buffer,
    ): Promise<Date | null> {
      const row: { readonly face_delete_after: Date } | undefined = await tx('consents')
        .where({ account_id: accountId, list_id: listId, person_ref: personRef })
        .whereNotNull('face_delete_after')
        .orderBy('face_delete_after', 'desc')
        .first('face_delete_after');
      return row?.face_delete_after ?? null;
    },
    /** Unerased records, oldest first. */
    async page(
      accountId: string,
      { listId, personRef }: { readonly listId?: string | undefined; readonly personRef?: Buffer | undefined },
      after: string | undefined,
      rows: number,
    ): Promise<StoredConsent[]> {
      const query = records(accountId).whereNull('erased_at');
      if (listId !== undefined) query.where({ list_id: listId });
      if (personRef !== undefined) query.where({ person_ref: personRef });
      if (after !== undefined) query.where('consent_id', '>', after);
      return (await query.orderBy('consent_id').limit(rows)).map(toStored);
    },
    /** Ordered by list id. */
    async chains(
      accountId: string,
      listId: string | undefined,
      after: string | undefined,
      rows: number,
    ): Promise<Chain[]> {
      const query = connection<ChainRow>('consent_chains').where({ account_id: accountId });
      if (listId !== undefined) query.where({ list_id: listId });
      if (after !== undefined) query.where('list_id', '>', after);
      const chains = await query.orderBy('list_id').limit(rows);
      return chains.map((chain) => ({ listId: chain.list_id, length: chain.length, head: chain.head }));
    },
    /** Entries with `after` < seq ≤ `last`, including erased ones. */
    async entries(
      { accountId, listId }: ChainKey,
      after: number,
      last: number,
      rows: number,
    ): Promise<StoredConsent[]> {
      const query = records(accountId).where({ list_id: listId }).where('seq', '>', after).where('seq', '<=', last);
      return (await query.orderBy('seq').limit(rows)).map(toStored);
    },
    /** Records from before the introduction of chains. */
    async unchained(
      accountId: string,
      listId: string | undefined,
      after: string | undefined,
      rows: number,
    ): Promise<StoredConsent[]> {
      const query = records(accountId).whereNull('seq');
      if (listId !== undefined) query.where({ list_id: listId });
      if (after !== undefined) query.where('consent_id', '>', after);
      return (await query.orderBy('consent_id').limit(rows)).map(toStored);
    },
    /** Null when there is no such account. */
    async evidenceRetainDays(accountId: string): Promise<number | null> {
      const row: { readonly days: number } | undefined = await connection('accounts')
        .where({ account_id: accountId })
        .first({ days: 'evidence_retain_days' });
      return row?.days ?? null;
    },
    /** @returns false when there is no such account */
    async setEvidenceRetainDays(tx: Transaction, accountId: string, days: number): Promise<boolean> {
      const query = tx('accounts').where({ account_id: accountId });
      return (await query.update({ evidence_retain_days: days })) === 1;
    },
    /** Of all accounts. */
    async evidenceRetention(): Promise<{ readonly accountId: string; readonly retainDays: number }[]> {
      return connection('accounts')
        .comment('all accounts')
        .orderBy('account_id')
        .select({ accountId: 'account_id', retainDays: 'evidence_retain_days' });
    },
    /**
     * Erases records whose age began by `before`; it counts from the face's deadline or from the record's creation,
     * whichever is later.
     * @returns number of records, at most `rows`
     */
    async eraseEvidence(accountId: string, before: Date, at: Date, rows: number): Promise<number> {
      const due = () =>
        connection('consents')
          .where({ account_id: accountId })
          .whereNull('erased_at')
          .whereRaw('greatest(recorded_at, face_delete_after) <= ?', [before])
          .limit(rows)
          .select('consent_id');
      const unchained = await records(accountId).whereIn('consent_id', due().whereNull('seq')).delete();
      const erased = await records(accountId)
        .whereIn('consent_id', due().whereNotNull('seq'))
        .update({ ...ERASED, erased_at: at });
      return unchained + erased;
    },
  };
}
