import {
  type ConsentEntry,
  type ConsentLedgerLine,
  type ConsentQuery,
  type ConsentRecordResource,
  DAY_MS,
} from '@svc/protocol';
import { LEDGER_FORMAT } from '@svc/protocol/ledger';
import { type AccountVault, withAccountVault } from '../../crypto/account-vault.ts';
import { found, missing } from '../../platform/errors.ts';
import { decodeCursor, toPage } from '../../platform/paging.ts';
import type { Actor } from '../audit/service.ts';
import type { Uses } from '../uses.ts';
import { createLedgerWriter } from './chain.ts';
import type { Chain, ConsentRecord, ConsentStore, StoredConsent } from './store.ts';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** About ten milliseconds of work per batch. */
const BATCH_ROWS = 200;

/**
 * Reads the consent ledger, and erases evidence whose retention is over. Chains remain after their lists are deleted.
 */
export type ConsentLedger = ReturnType<typeof createConsentLedger>;

function toEntry(vault: AccountVault, { personRef, personIdSealed, ...rest }: ConsentRecord): ConsentEntry {
  const opened = vault.openPersonId(rest.consentId, personIdSealed);
  const isHis = opened !== null && vault.consentPseudonym(opened).equals(personRef);
  return { personId: isHis ? opened : null, ...rest };
}

function toLine(vault: AccountVault, { record, place }: StoredConsent): ConsentLedgerLine[] {
  const consent = record === null ? null : toEntry(vault, record);
  if (place === null) return [];
  const { seq, commitment, entryHash, salt } = place;
  return [
    {
      type: 'entry',
      seq,
      commitment: commitment.toString('hex'),
      entryHash: entryHash.toString('hex'),
      salt: salt?.toString('hex') ?? null,
      consent,
    },
  ];
}

export function createConsentLedger(
  o: Uses<'database' | 'audit' | 'keyRing' | 'clock' | 'random'> & {
    readonly store: ConsentStore;
  },
) {
  async function* chainsOf(accountId: string, listId: string | undefined): AsyncGenerator<Chain> {
    let after: string | undefined;
    for (;;) {
      const chains = await o.store.chains(accountId, listId, after, BATCH_ROWS);
      yield* chains;
      after = chains.at(-1)?.listId;
      if (chains.length < BATCH_ROWS) return;
    }
  }

  /** The entries that existed when the head was read, without later ones. */
  async function* entriesOf(accountId: string, { listId, length }: Chain): AsyncGenerator<ConsentLedgerLine[]> {
    let after = 0;
    while (after < length) {
      const rows = await o.store.entries({ accountId, listId }, after, length, BATCH_ROWS);
      if (rows.length === 0) return;
      yield await withAccountVault(o, accountId, (vault) => rows.flatMap((row) => toLine(vault, row)));
      after = rows.at(-1)?.place?.seq ?? length;
    }
  }

  /** Days for which evidence is kept after a face's deadline. @throws ServiceError 'not-found' */
  async function evidenceRetainDays(accountId: string): Promise<number> {
    return found(await o.store.evidenceRetainDays(accountId), 'account');
  }

  return {
    /** Oldest first, without erased records. @throws ServiceError 'invalid-request' for a foreign cursor */
    async page(accountId: string, { listId, personId, cursor, limit }: ConsentQuery) {
      const after = decodeCursor(cursor, (key) => UUID.test(key));
      return withAccountVault(o, accountId, async (vault) => {
        const personRef = personId === undefined ? undefined : vault.consentPseudonym(personId);
        const rows = await o.store.page(accountId, { listId, personRef }, after, limit + 1);
        const { items, nextCursor } = toPage(rows, limit, (row) => row.consentId);
        const toRecord = ({ record, place }: StoredConsent): ConsentRecordResource[] => {
          const entryHash = place?.entryHash.toString('hex') ?? null;
          return record === null ? [] : [{ ...toEntry(vault, record), seq: place?.seq ?? null, entryHash }];
        };
        return { items: items.flatMap(toRecord), nextCursor };
      });
    },
    /**
     * The lines of an export as UTF-8, in chunks of up to 200 lines, generated on demand.
     * @param listId only this list's chain; default: all of the account's
     * @throws ServiceError 'not-found' for an unknown account, at the first chunk
     */
    async *export(accountId: string, listId?: string): AsyncGenerator<Buffer> {
      await evidenceRetainDays(accountId);
      const writer = createLedgerWriter();
      const exportedAt = new Date(o.clock.now()).toISOString();
      yield writer.write({ type: 'ledger', format: LEDGER_FORMAT, accountId, exportedAt });
      const counts = { chains: 0, entries: 0, unchained: 0 };
      for await (const chain of chainsOf(accountId, listId)) {
        counts.chains += 1;
        yield writer.write({ type: 'chain', listId: chain.listId });
        for await (const lines of entriesOf(accountId, chain)) {
          counts.entries += lines.length;
          yield writer.write(...lines);
        }
        const entryHash = chain.head.toString('hex');
        yield writer.write({ type: 'head', listId: chain.listId, length: chain.length, entryHash });
      }
      yield writer.write({ type: 'end', ...counts, sha256: writer.sha256() });
    },
    evidenceRetainDays,
    /** @param days 1 to 36525 @throws ServiceError 'not-found' */
    setEvidenceRetainDays(accountId: string, days: number, actor: Actor): Promise<void> {
      return o.database.transaction(async (tx) => {
        if (!(await o.store.setEvidenceRetainDays(tx, accountId, days))) throw missing('account');
        await o.audit.record(tx, { accountId, actor, action: 'evidence-retention.set', target: String(days) });
      });
    },
    /**
     * Erases the content of records of all accounts whose retention is over; their positions in the chains stay.
     * @returns number of records
     */
    async purgeExpiredEvidence(): Promise<number> {
      const now = o.clock.now();
      let total = 0;
      for (const { accountId, retainDays } of await o.store.evidenceRetention()) {
        const before = new Date(now - retainDays * DAY_MS);
        for (let erased = BATCH_ROWS; erased >= BATCH_ROWS; total += erased) {
          erased = await o.store.eraseEvidence(accountId, before, new Date(now), BATCH_ROWS);
        }
      }
      return total;
    },
  };
}
