import type { ConsentEntry } from '@svc/protocol';
import type { Connection, Transaction } from '../../db/connection.ts';

/** Where a list's chain is kept; the list itself may be gone. */
export interface ChainKey {
  readonly accountId: string;
  readonly listId: string;
}

/** What is stored of one consent or withdrawal. Who it is about is sealed; nothing biometric is in it. */
export interface ConsentRecord extends Omit<ConsentEntry, 'personId'> {
  readonly personRef: Buffer;
  readonly personIdSealed: Buffer;
}

/** A record's place in its chain. */
export interface ChainPlace {
  readonly seq: number;
  readonly commitment: Buffer;
  readonly entryHash: Buffer;
  /** Null once erased. */
  readonly salt: Buffer | null;
}

export interface StoredConsent {
  readonly consentId: string;
  /** Null once erased. */
  readonly record: ConsentRecord | null;
  /** Null for records from before there were chains. */
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

/** What erasing leaves: the place in the chain, and when the record was made. */
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

export interface ConsentStore {
  /**
   * Makes a list's chain one longer. The chain's row is locked from here to the end of the transaction.
   * @param genesis what the first entry follows
   */
  extendChain(
    tx: Transaction,
    key: ChainKey,
    genesis: Buffer,
    commitment: Buffer,
  ): Promise<{ readonly seq: number; readonly entryHash: Buffer }>;
  insert(tx: Transaction, accountId: string, record: ConsentRecord, place: ChainPlace): Promise<void>;
  /** Records that are not erased, oldest first. */
  page(
    accountId: string,
    filter: { readonly listId?: string | undefined; readonly personRef?: Buffer | undefined },
    after: string | undefined,
    rows: number,
  ): Promise<StoredConsent[]>;
  /** In the order of list IDs. */
  chains(accountId: string, listId: string | undefined, after: string | undefined, rows: number): Promise<Chain[]>;
  /** Entries of a chain, erased ones included, with `after` < seq ≤ `last`. */
  entries(key: ChainKey, after: number, last: number, rows: number): Promise<StoredConsent[]>;
  /** Records from before there were chains. */
  unchained(
    accountId: string,
    listId: string | undefined,
    after: string | undefined,
    rows: number,
  ): Promise<StoredConsent[]>;
  /** Null when there is no such account. */
  evidenceRetainDays(accountId: string): Promise<number | null>;
  /** @returns false when there is no such account */
  setEvidenceRetainDays(tx: Transaction, accountId: string, days: number): Promise<boolean>;
  /** Of every account. */
  evidenceRetention(): Promise<{ readonly accountId: string; readonly retainDays: number }[]>;
  /**
   * Erases records whose age, counted from the face's deadline or from their making, whichever is later, began by `before`.
   * @returns how many, at most `rows`
   */
  eraseEvidence(accountId: string, before: Date, at: Date, rows: number): Promise<number>;
}

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

export function createConsentStore(connection: Connection): ConsentStore {
  const records = (accountId: string) => connection<ConsentRow>('consents').where({ account_id: accountId });
  return {
    async extendChain(tx, { accountId, listId }, genesis, commitment) {
      const result = await tx.raw<{ rows: ChainRow[] }>(
        `INSERT INTO consent_chains AS chain (account_id, list_id, length, head)
         VALUES (?, ?, 1, sha256(?::bytea || int8send(1::bigint) || ?::bytea))
         ON CONFLICT (account_id, list_id) DO UPDATE
           SET length = chain.length + 1, head = sha256(chain.head || int8send(chain.length + 1) || ?::bytea)
         RETURNING list_id, length, head`,
        [accountId, listId, genesis, commitment, commitment],
      );
      const [chain] = result.rows;
      if (chain === undefined) throw new Error('an extended chain has no row');
      return { seq: chain.length, entryHash: chain.head };
    },
    async insert(tx, accountId, record, { seq, salt, commitment, entryHash }) {
      const place = { seq, salt, commitment, entry_hash: entryHash };
      await tx('consents').insert({ account_id: accountId, ...toRow(record), ...place });
    },
    async page(accountId, { listId, personRef }, after, rows) {
      const query = records(accountId).whereNull('erased_at');
      if (listId !== undefined) query.where({ list_id: listId });
      if (personRef !== undefined) query.where({ person_ref: personRef });
      if (after !== undefined) query.where('consent_id', '>', after);
      return (await query.orderBy('consent_id').limit(rows)).map(toStored);
    },
    async chains(accountId, listId, after, rows) {
      const query = connection<ChainRow>('consent_chains').where({ account_id: accountId });
      if (listId !== undefined) query.where({ list_id: listId });
      if (after !== undefined) query.where('list_id', '>', after);
      const chains = await query.orderBy('list_id').limit(rows);
      return chains.map((chain) => ({ listId: chain.list_id, length: chain.length, head: chain.head }));
    },
    async entries({ accountId, listId }, after, last, rows) {
      const query = records(accountId).where({ list_id: listId }).where('seq', '>', after).where('seq', '<=', last);
      return (await query.orderBy('seq').limit(rows)).map(toStored);
    },
    async unchained(accountId, listId, after, rows) {
      const query = records(accountId).whereNull('seq');
      if (listId !== undefined) query.where({ list_id: listId });
      if (after !== undefined) query.where('consent_id', '>', after);
      return (await query.orderBy('consent_id').limit(rows)).map(toStored);
    },
    async evidenceRetainDays(accountId) {
      const row: { readonly days: number } | undefined = await connection('accounts')
        .where({ account_id: accountId })
        .first({ days: 'evidence_retain_days' });
      return row?.days ?? null;
    },
    async setEvidenceRetainDays(tx, accountId, days) {
      const query = tx('accounts').where({ account_id: accountId });
      return (await query.update({ evidence_retain_days: days })) === 1;
    },
    async evidenceRetention() {
      return connection('accounts')
        .orderBy('account_id')
        .select({ accountId: 'account_id', retainDays: 'evidence_retain_days' });
    },
    async eraseEvidence(accountId, before, at, rows) {
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
