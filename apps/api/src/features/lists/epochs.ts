import type { Aead } from '@svc/core/aead';
import { sealCheckRecord } from '@svc/core/pack';
import type { KeyRing } from '../../crypto/key-ring.ts';
import type { Database, Transaction } from '../../db/connection.ts';
import { ServiceError } from '../../errors.ts';
import type { EngineIdentity, Engines } from '../../inference/engines.ts';
import type { Clock, Random } from '../../ports.ts';
import type { EpochRecord, ListKey, ListRecord, ListStore } from './store.ts';

const SALT_BYTES = 24;

export interface EpochService {
  /** Makes an epoch's key and its check record; nothing but the key is stored yet. */
  prepare(listId: string, epoch: number, engine: EngineIdentity): Promise<EpochRecord>;
  /**
   * Works under the list's lock, with the epoch of an engine: the newest there is, or one that is opened with it.
   * @param work told of a list and whether the epoch is new; what it throws opens none
   * @throws ServiceError 'not-found'
   */
  withEpoch<T>(
    key: ListKey,
    engine: EngineIdentity,
    work: (
      tx: Transaction,
      list: ListRecord,
      opened: { readonly epoch: number; readonly isNew: boolean },
    ) => Promise<T>,
  ): Promise<T>;
  /**
   * The epoch that takes a list's new records: the newest of its engine, or a new one where it has none.
   * @throws ServiceError 'not-found', or 'model-missing' where this node has not the list's engine
   */
  current(list: ListRecord): Promise<number>;
  /**
   * Gives up the epochs of engines that a list has left, once they hold nobody: from the list's next version on no manifest names them. A list that
   * goes back to such an engine opens another epoch.
   * @returns how many
   */
  dropEmpty(): Promise<number>;
}

/** Who opens an epoch of another engine at the same moment takes the number; so often in a row nobody does. */
const TRIES = 10;

export function createEpochService(o: {
  readonly store: ListStore;
  readonly database: Pick<Database, 'transaction'>;
  readonly keyRing: KeyRing;
  readonly engines: Engines;
  readonly aead: Aead;
  readonly clock: Clock;
  readonly random: Random;
}): EpochService {
  async function prepare(listId: string, epoch: number, engine: EngineIdentity): Promise<EpochRecord> {
    const { engineId, dimension, matchThreshold } = engine;
    const listKey = await o.keyRing.createListKey(listId, epoch);
    try {
      const salt = o.random.bytes(SALT_BYTES);
      const checkRecord = await sealCheckRecord(o.aead, { listKey, listId, epoch, engineId, dimension, salt });
      return { epoch, engineId, dimension, matchThreshold, checkRecord };
    } finally {
      listKey.fill(0);
    }
  }

  const newestOf = async (key: ListKey, { engineId }: EngineIdentity, tx?: Transaction) =>
    (await o.store.epochs(key, tx)).find((epoch) => epoch.engineId === engineId);

  /** Null where the number that was prepared is taken by now, or the epoch that was there has been given up. */
  function attempt<T>(
    key: ListKey,
    engine: EngineIdentity,
    prepared: EpochRecord | null,
    work: (tx: Transaction, list: ListRecord, opened: { epoch: number; isNew: boolean }) => Promise<T>,
  ): Promise<{ readonly result: T } | null> {
    return o.database.transaction(async (tx) => {
      const list = await o.store.lock(tx, key);
      if (list === null) throw new ServiceError('not-found');
      const made = await newestOf(key, engine, tx);
      if (made !== undefined) return { result: await work(tx, list, { epoch: made.epoch, isNew: false }) };
      if (prepared === null || (await o.store.nextEpoch(key, tx)) !== prepared.epoch) return null;
      await o.store.insertEpoch(tx, key, prepared, new Date(o.clock.now()));
      return { result: await work(tx, list, { epoch: prepared.epoch, isNew: true }) };
    });
  }

  const withEpoch: EpochService['withEpoch'] = async (key, engine, work) => {
    for (let i = 0; i < TRIES; i += 1) {
      const isThere = (await newestOf(key, engine)) !== undefined;
      const prepared = isThere ? null : await prepare(key.listId, await o.store.nextEpoch(key), engine);
      const done = await attempt(key, engine, prepared, work);
      if (done !== null) return done.result;
    }
    throw new ServiceError('not-ready');
  };

  return {
    prepare,
    withEpoch,
    current: (list) =>
      withEpoch(list, o.engines.require(list.engineId), async (tx, _list, { epoch, isNew }) => {
        if (isNew) await o.store.nextVersion(tx, list);
        return epoch;
      }),
    async dropEmpty() {
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
