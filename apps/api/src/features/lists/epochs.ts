import type { Aead } from '@svc/core/aead';
import { sealCheckRecord } from '@svc/core/pack';
import type { KeyRing } from '../../crypto/key-ring.ts';
import type { Database } from '../../db/connection.ts';
import { ServiceError } from '../../errors.ts';
import type { EngineIdentity } from '../../inference/engine-identity.ts';
import type { Clock, Random } from '../../ports.ts';
import type { EpochRecord, ListKey, ListStore } from './store.ts';

const SALT_BYTES = 24;

export interface EpochService {
  /** Of the engine whose records this node makes. */
  readonly engineId: string;
  /** Makes an epoch's key and its check record, for the engine in use; nothing but the key is stored yet. */
  prepare(listId: string, epoch: number): Promise<EpochRecord>;
  /**
   * The epoch that takes new records: the newest of the engine in use, or a new one where it has none. While an upgrade brings another engine,
   * nodes of both work side by side, each in its engine's epoch.
   * @throws ServiceError 'not-found'
   */
  current(key: ListKey): Promise<EpochRecord>;
}

export function createEpochService(o: {
  readonly store: ListStore;
  readonly database: Pick<Database, 'transaction'>;
  readonly keyRing: KeyRing;
  readonly engine: EngineIdentity;
  readonly aead: Aead;
  readonly clock: Clock;
  readonly random: Random;
}): EpochService {
  const { engineId, dimension, matchThreshold } = o.engine;
  const isOwn = (epoch: EpochRecord) => epoch.engineId === engineId;

  async function prepare(listId: string, epoch: number): Promise<EpochRecord> {
    const listKey = await o.keyRing.createListKey(listId, epoch);
    try {
      const salt = o.random.bytes(SALT_BYTES);
      const checkRecord = await sealCheckRecord(o.aead, { listKey, listId, epoch, engineId, dimension, salt });
      return { epoch, engineId, dimension, matchThreshold, checkRecord };
    } finally {
      listKey.fill(0);
    }
  }

  return {
    engineId,
    prepare,
    async current(key) {
      const epochs = await o.store.epochs(key);
      const own = epochs.find(isOwn);
      if (own !== undefined) return own;
      const [newest] = epochs;
      const next = await prepare(key.listId, (newest?.epoch ?? 0) + 1);
      return o.database.transaction(async (tx) => {
        if ((await o.store.lock(tx, key)) === null) throw new ServiceError('not-found');
        const made = (await o.store.epochs(key, tx)).find(isOwn);
        if (made !== undefined) return made;
        await o.store.insertEpoch(tx, key, next, new Date(o.clock.now()));
        await o.store.nextVersion(tx, key);
        return next;
      });
    },
  };
}
