import type { ConsentEntry } from '@svc/protocol';
import type { Knex } from 'knex';
import { columnsOf, rowsOf, toRow } from '../../db/columns.ts';
import type { Connection, Transaction } from '../../db/connection.ts';
import type { ListKey } from '../lists/store.ts';

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

/** A record and its position as they are stored. */
interface ConsentRow extends Omit<ConsentRecord, 'kind' | 'personRef' | 'personIdSealed' | Converted> {
  readonly kind: ConsentRecord['kind'] | null;
  readonly personRef: Buffer | null;
  readonly personIdSealed: Buffer | null;
  readonly givenAt: Date | null;
  readonly wordingSha256: Buffer | null;
  readonly faceDeleteAfter: Date | null;
  readonly recordedAt: Date;
  readonly seq: number | null;
  readonly salt: Buffer | null;
  readonly commitment: Buffer | null;
  readonly entryHash: Buffer | null;
}
type Converted = 'givenAt' | 'wordingSha256' | 'faceDeleteAfter' | 'recordedAt';

const COLUMNS = columnsOf<ConsentRow>()(
  // What stays after an erasure: position and creation time.
  ['consentId', 'listId', 'recordedAt', 'seq', 'commitment', 'entryHash'],
  ['kind', 'personRef', 'personIdSealed', 'consentVersion', 'givenAt', 'explicitBiometricConsent', 'writtenRelease'],
  ['under16', 'guardianConsent', 'shownBy', 'wordingSha256', 'wordingLanguage', 'faceDeleteAfter', 'salt'],
);
const CHAIN_COLUMNS = columnsOf<Chain>()(['listId', 'length', 'head']);

const toPlace = ({ seq, salt, commitment, entryHash }: ConsentRow): ChainPlace | null =>
  seq === null || commitment === null || entryHash === null ? null : { seq, salt, commitment, entryHash };

function toRecord({ seq: _seq, salt: _salt, commitment: _commitment, entryHash: _hash, ...row }: ConsentRow) {
  const { kind, personRef, personIdSealed } = row;
  if (kind === null || personRef === null || personIdSealed === null) return null;
  return {
    ...row,
    kind,
    personRef,
    personIdSealed,
    recordedAt: row.recordedAt.toISOString(),
    givenAt: row.givenAt?.toISOString() ?? null,
    wordingSha256: row.wordingSha256?.toString('hex') ?? null,
    faceDeleteAfter: row.faceDeleteAfter?.toISOString() ?? null,
  } satisfies ConsentRecord;
}

const toStored = (row: ConsentRow): StoredConsent => ({
  consentId: row.consentId,
  record: toRecord(row),
  place: toPlace(row),
});

export type ConsentStore = ReturnType<typeof createConsentStore>;

/** Concurrent appends to the chain wait here, until the transaction ends. */
const NEXT_PLACE = 'SELECT length, head FROM next_consent_place(:accountId, :listId, :genesis, :commitment)';

export function createConsentStore(connection: Connection) {
  const records = (accountId: string) => connection('consents').where({ account_id: accountId });
  const stored = async (query: Knex.QueryBuilder): Promise<StoredConsent[]> =>
    (await query.select(COLUMNS)).map(toStored);
  return {
    /**
     * Appends a record to its list's chain, whose row stays locked until the transaction ends.
     * @param entry `genesis`: predecessor hash of the first entry
     */
    async append(tx: Transaction, accountId: string, record: ConsentRecord, { genesis, commitment, salt }: NewEntry) {
      const rows = await rowsOf<Omit<Chain, 'listId'>>(tx, NEXT_PLACE, {
        ...{ accountId, listId: record.listId, commitment, genesis },
      });
      const wordingSha256 = record.wordingSha256 === null ? null : Buffer.from(record.wordingSha256, 'hex');
      const place = { seq: rows[0]?.length, commitment, entryHash: rows[0]?.head, salt };
      await tx('consents').insert(toRow({ accountId, ...record, wordingSha256, ...place }));
    },
    /** The latest face deadline in a person's unerased records of the list; null for none. */
    async latestFaceDeleteAfter(
      tx: Transaction,
      { accountId, listId }: ListKey,
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
      return stored(query.orderBy('consent_id').limit(rows));
    },
    /** Ordered by list id. */
    async chains(
      accountId: string,
      listId: string | undefined,
      after: string | undefined,
      rows: number,
    ): Promise<Chain[]> {
      const query = connection('consent_chains').where({ account_id: accountId });
      if (listId !== undefined) query.where({ list_id: listId });
      if (after !== undefined) query.where('list_id', '>', after);
      return query.orderBy('list_id').limit(rows).select(CHAIN_COLUMNS);
    },
    /** Entries with `after` < seq ≤ `last`, including erased ones. */
    async entries({ accountId, listId }: ListKey, after: number, last: number, rows: number): Promise<StoredConsent[]> {
      const query = records(accountId).where({ list_id: listId }).where('seq', '>', after).where('seq', '<=', last);
      return stored(query.orderBy('seq').limit(rows));
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
     * Erases records whose age began by `before`, and by the database's clock: it counts from the face's deadline or from
     * the record's creation, whichever is later.
     * @returns number of records, at most `rows`
     */
    async eraseEvidence(accountId: string, before: Date, at: Date, rows: number): Promise<number> {
      const bindings = [accountId, before, at, rows];
      const [done] = await rowsOf<{ erased: number }>(
        connection,
        'SELECT erase_consents(?, ?, ?, ?) AS erased',
        bindings,
      );
      return done?.erased ?? 0;
    },
  };
}
