import { type KeyStorageTarget, openKeyStorage } from '../crypto/key-storage.ts';
import type { Database, DatabaseTarget } from '../db/connection.ts';
import type { EmbeddedServer } from '../db/embedded/index.ts';
import { type Actor, createAuditService } from '../features/audit/service.ts';
import { createAuditStore } from '../features/audit/store.ts';
import { type MovedKeys, moveKeyStorage } from '../features/restore/move.ts';
import { createRestoreStore } from '../features/restore/store.ts';
import { type Clock, createIds, type Random } from '../platform/ports.ts';
import { mainKeyStorage } from './targets.ts';

/** Moves keys and memory out of the main database; if that is the embedded one, also purges its files. */
export async function moveOutOfMain(o: {
  readonly target: DatabaseTarget;
  readonly embedded: Pick<EmbeddedServer, 'scrub'> | null;
  readonly database: Database;
  readonly place: KeyStorageTarget;
  readonly actor: Actor;
  readonly clock: Clock;
  readonly random: Random;
}): Promise<MovedKeys> {
  const { database, embedded, clock, random } = o;
  const from = await openKeyStorage(mainKeyStorage(o.target), random);
  try {
    const to = await openKeyStorage(o.place, random);
    try {
      return await moveKeyStorage({
        ...{ from, to, database, actor: o.actor, now: clock.now },
        store: createRestoreStore(database.connection),
        audit: createAuditService({
          store: createAuditStore(database.connection),
          ids: createIds(clock, random),
          clock,
        }),
        scrub: embedded === null ? null : () => embedded.scrub(),
      });
    } finally {
      await to.close();
    }
  } finally {
    await from.close();
  }
}
