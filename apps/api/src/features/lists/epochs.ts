import type { Aead } from '@svc/core/aead';
import { sealCheckRecord } from '@svc/core/pack';
import { MAX_EPOCHS } from '@svc/protocol';
import type { KeyRing } from '../../crypto/key-ring.ts';
import type { Transaction } from '../../db/connection.ts';
import type { EngineIdentity } from '../../inference/engines.ts';
import { found, ServiceError } from '../../platform/errors.ts';
import type { Uses } from '../uses.ts';
import { hasEnded } from './service.ts';
import type { EpochRecord, ListKey, ListRecord, ListStore } from './store.ts';

/** The properties of an engine that are fixed in an epoch. */
type EpochEngine = Pick<EngineIdentity, 'engineId' | 'dimension' | 'matchThreshold'>;

type EpochWork<T> = (
  tx: Transaction,
  list: ListRecord,
  opened: { readonly epoch: number; readonly isNew: boolean },
) => Promise<T>;

/** A list's epochs: each has a key and the records of one engine. */
export type EpochService = ReturnType<typeof createEpochService>;

/** A concurrent request may take the prepared number; losing this often in a row is not expected. */
const TRIES = 10;

export function createEpochService(
  o: Uses<'database' | 'engines' | 'clock'> & {
    readonly store: ListStore;
    readonly keyRing: KeyRing;
    readonly aead: Aead;
  },
) {
  /** Creates an epoch's key and check record; writes no database row. */
  async function prepare(listId: string, epoch: number, engine: EpochEngine): Promise<EpochRecord> {
    const { engineId, dimension, matchThreshold } = engine;
    const listKey = await o.keyRing.createListKey(listId, epoch);
    try {
      const checkRecord = await sealCheckRecord(o.aead, { listKey, listId, epoch, engineId, dimension });
      return { epoch, engineId, dimension, matchThreshold, checkRecord };
    } finally {
      listKey.fill(0);
    }
  }

  const newestOf = async (key: ListKey, { engineId }: EngineIdentity, tx?: Transaction) =>
    (await o.store.epochs(key, tx)).find((epoch) => epoch.engineId === engineId);

  /** Null, for another try, when the prepared number is already used or the epoch found before the lock was dropped. */
  function attempt<T>(
    key: ListKey,
    engine: EngineIdentity,
    prepared: EpochRecord | null,
    work: EpochWork<T>,
  ): Promise<{ readonly result: T } | null> {
    return o.database.transaction(async (tx) => {
      const list = found(await o.store.lock(tx, key), 'list');
      const made = await newestOf(key, engine, tx);
      if (made !== undefined) return { result: await work(tx, list, { epoch: made.epoch, isNew: false }) };
      if (prepared === null || (await o.store.nextEpoch(key, tx)) !== prepared.epoch) return null;
      await o.store.insertEpoch(tx, key, prepared, new Date(o.clock.now()));
      return { result: await work(tx, list, { epoch: prepared.epoch, isNew: true }) };
    });
  }

  /**
   * Runs `work` under the list's lock with the engine's newest epoch; if it has none, creates one in the same
   * transaction.
   * @param work gets the list and whether the epoch is new; if it throws, no epoch is created
   * @throws ServiceError 'not-found'
   */
  async function withEpoch<T>(key: ListKey, engine: EngineIdentity, work: EpochWork<T>): Promise<T> {
    for (let i = 0; i < TRIES; i += 1) {
      const isThere = (await newestOf(key, engine)) !== undefined;
      const prepared = isThere ? null : await prepare(key.listId, await o.store.nextEpoch(key), engine);
      const done = await attempt(key, engine, prepared, work);
      if (done !== null) return done.result;
    }
    throw new ServiceError('not-ready');
  }

  /** An epoch for the list's engine with an unused number and key; null when the list accepts no records. */
  async function prepareNext(key: ListKey): Promise<EpochRecord | null> {
    const list = await o.store.find(key);
    if (list === null || list.enrollmentClosedAt !== null || hasEnded(list, o.clock.now())) return null;
    const epochs = await o.store.epochs(key);
    const current = epochs.find(({ engineId }) => engineId === list.engineId);
    if (current === undefined || epochs.length >= MAX_EPOCHS) return null;
    // After a restore the database may lack epochs whose keys devices hold, so the key ring is asked too.
    const unused = Math.max(await o.store.nextEpoch(key), (await o.keyRing.newestEpoch(key.listId)) + 1);
    return prepare(key.listId, unused, current);
  }

  /**
   * Runs `work` under the list's lock; it may open a new epoch of the list's engine. Later enrolments are then
   * encrypted with a new key, which devices get at their next sync. `openNext` does nothing for a list without
   * enrolment, or with as many epochs as a device accepts.
   * @param work may be called again; if it throws, no epoch is created
   * @throws ServiceError 'not-found'
   */
  async function withNextEpoch<T>(key: ListKey, work: (tx: Transaction, openNext: () => Promise<void>) => Promise<T>) {
    for (let i = 0; i < TRIES; i += 1) {
      const prepared = await prepareNext(key);
      const done = await o.database.transaction(async (tx) => {
        const list = found(await o.store.lock(tx, key), 'list');
        // Another epoch was opened meanwhile, possibly with a newer number.
        const isLate = prepared !== null && (await o.store.nextEpoch(key, tx)) > prepared.epoch;
        if (isLate || (prepared !== null && prepared.engineId !== list.engineId)) return null;
        const result = await work(tx, async () => {
          if (prepared === null) return;
          await o.store.insertEpoch(tx, key, prepared, new Date(o.clock.now()));
          await o.store.dropEmptyEpochs(tx, key);
          await o.store.nextVersion(tx, key);
        });
        return { result };
      });
      if (done !== null) return done.result;
    }
    throw new ServiceError('not-ready');
  }

  return {
    prepare,
    withEpoch,
    withNextEpoch,
    /**
     * The epoch for a list's new records: the newest of its engine, or a new one.
     * @throws ServiceError 'not-found', or 'model-missing' when the list's engine is not installed on this node
     */
    current: async (list: ListRecord): Promise<number> =>
      withEpoch(list, o.engines.require(list.engineId), async (tx, _list, { epoch, isNew }) => {
        if (isNew) await o.store.nextVersion(tx, list);
        return epoch;
      }),
    /**
     * Deletes empty epochs of engines that the list no longer uses; the next manifest omits them. A list that returns to
     * such an engine gets a new epoch.
     * @returns number of epochs
     */
    async dropEmpty(): Promise<number> {
      let dropped = 0;
      for (const key of await o.store.withEmptyEpochs()) {
        dropped += await o.database.transaction(async (tx) => {
          if ((await o.store.lock(tx, key)) === null) return 0;
          const count = await o.store.dropEmptyEpochs(tx, key);
          if (count > 0) await o.store.nextVersion(tx, key);
          return count;
        });
      }
      return dropped;
    },
  };
}
