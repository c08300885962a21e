import { join } from 'node:path';
import type { Logger } from 'pino';
import type { ApiConfig } from '../config/config.ts';
import { findKeyStorage, type KeyStorageTarget, openKeyStorage } from '../crypto/key-storage.ts';
import type { Database, DatabaseTarget, PasswordFile } from '../db/connection.ts';
import { type EmbeddedServer, startEmbeddedServer } from '../db/embedded/index.ts';
import { type Actor, createAuditService } from '../features/audit/service.ts';
import { createAuditStore } from '../features/audit/store.ts';
import { type MovedKeys, moveKeyStorage } from '../features/restore/move.ts';
import { createRestoreStore, type RestoreStore } from '../features/restore/store.ts';
import type { Cleanup } from '../platform/cleanup.ts';
import { type Clock, createIds, type Random } from '../platform/ports.ts';

const passwordFile = (setting: string, path: string | undefined): PasswordFile | undefined =>
  path === undefined ? undefined : { path, setting };

/** The configured place of keys and erasure memory. */
export function keyStorageTarget(config: ApiConfig): KeyStorageTarget {
  const { dataDirectory, keyDatabaseUrl, keyDatabasePasswordFile, keySecretsDirectory, keyStoreDirectory } = config;
  if (keyDatabaseUrl === undefined) return { kind: 'folder', path: keyStoreDirectory ?? join(dataDirectory, 'keys') };
  return {
    kind: 'postgres',
    target: {
      connectionString: keyDatabaseUrl,
      passwordFile: passwordFile('SVC_KEY_DATABASE_PASSWORD_FILE', keyDatabasePasswordFile),
    },
    secrets: {
      directory: keySecretsDirectory ?? join(dataDirectory, 'key-secrets'),
      isChosen: keySecretsDirectory !== undefined,
    },
  };
}

/** Tables of the main database, the default of an earlier version. */
export const mainKeyStorage = (target: DatabaseTarget): KeyStorageTarget & { kind: 'postgres' } => ({
  kind: 'postgres',
  target,
  secrets: null,
});

/**
 * The place of a deployment's keys: as configured, or the main database if an earlier version stored them there and
 * nothing is configured.
 */
export async function locateKeyStorage(
  config: ApiConfig,
  target: DatabaseTarget,
  store: Pick<RestoreStore, 'link' | 'holdsKeys'>,
): Promise<{ readonly place: KeyStorageTarget; readonly inMain: boolean }> {
  const place = keyStorageTarget(config);
  const elsewhere = { place, inMain: false };
  if (config.keyDatabaseUrl !== undefined || config.keyStoreDirectory !== undefined) return elsewhere;
  const main = mainKeyStorage(target);
  const inMain = await storeIdAt(main);
  const link = await store.link();
  if (inMain === null || (link === null ? !(await store.holdsKeys()) : link.storeId !== inMain)) return elsewhere;
  // The keys were moved completely, and only the tables not yet emptied.
  return (await storeIdAt(place)) === inMain ? elsewhere : { place: main, inMain: true };
}

async function storeIdAt(place: KeyStorageTarget): Promise<string | null> {
  const storage = await findKeyStorage(place);
  await storage?.close();
  return storage?.storeId ?? null;
}

/** The configured database, or the embedded one. */
export async function openTarget(
  config: ApiConfig,
  random: Random,
  share: boolean,
  logger: Logger,
  cleanup: Cleanup,
): Promise<{ readonly target: DatabaseTarget; readonly embedded: EmbeddedServer | null }> {
  const { databaseUrl, databasePasswordFile } = config;
  if (databaseUrl !== null) {
    const file = passwordFile('SVC_DATABASE_PASSWORD_FILE', databasePasswordFile);
    return { target: { connectionString: databaseUrl, passwordFile: file }, embedded: null };
  }
  const embedded = await startEmbeddedServer({
    dataDirectory: config.dataDirectory,
    random,
    share,
    onLost: () => logger.warn('the embedded database went away and is being brought back'),
  });
  cleanup.add(() => embedded.stop());
  return { target: embedded.target, embedded };
}

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
