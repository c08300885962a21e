import { join } from 'node:path';
import type { Logger } from 'pino';
import type { ApiConfig } from '../config/config.ts';
import { openingDatabase } from '../config/start-error.ts';
import { findKeyStorage, type KeyStorageTarget, openKeyStorage } from '../crypto/key-storage.ts';
import { type Database, type DatabaseOwner, type DatabaseTarget, openDatabase } from '../db/connection.ts';
import { type EmbeddedServer, startEmbeddedServer } from '../db/embedded/index.ts';
import { migrate } from '../db/migrate.ts';
import { type Actor, createAuditService } from '../features/audit/service.ts';
import { createAuditStore } from '../features/audit/store.ts';
import { type MovedKeys, moveKeyStorage } from '../features/restore/move.ts';
import { createRestoreStore, type RestoreStore } from '../features/restore/store.ts';
import type { Cleanup } from '../platform/cleanup.ts';
import { createLogger } from '../platform/logger.ts';
import { type Clock, createIds, type Random, systemRandom } from '../platform/ports.ts';

/** An address and the setting that names its password's file. */
const targetOf = (connectionString: string, setting: string, path: string | undefined): DatabaseTarget => ({
  connectionString,
  passwordFile: path === undefined ? undefined : { path, setting },
});

/** The role that migrates, by a setting and the one of its password's file; null: the one that serves. */
const ownerOf = (setting: string, url: string | undefined, path: string | undefined): DatabaseOwner | null =>
  url === undefined ? null : { setting, target: targetOf(url, setting.replace('URL', 'PASSWORD_FILE'), path) };

/** The configured place of keys and erasure memory. */
export function keyStorageTarget(config: ApiConfig): KeyStorageTarget {
  const { dataDirectory, keyDatabaseUrl, keyDatabasePasswordFile, keySecretsDirectory, keyStoreDirectory } = config;
  if (keyDatabaseUrl === undefined) return { kind: 'folder', path: keyStoreDirectory ?? join(dataDirectory, 'keys') };
  return {
    kind: 'postgres',
    target: targetOf(keyDatabaseUrl, 'SVC_KEY_DATABASE_PASSWORD_FILE', keyDatabasePasswordFile),
    owner: ownerOf('SVC_KEY_DATABASE_OWNER_URL', config.keyDatabaseOwnerUrl, config.keyDatabaseOwnerPasswordFile),
    secrets: {
      directory: keySecretsDirectory ?? join(dataDirectory, 'key-secrets'),
      isChosen: keySecretsDirectory !== undefined,
    },
  };
}

/** Tables of the main database, the default of an earlier version. */
export const mainKeyStorage = (
  target: DatabaseTarget,
  owner: DatabaseOwner | null = null,
): KeyStorageTarget & { kind: 'postgres' } => ({ kind: 'postgres', target, owner, secrets: null });

/** A deployment's main database. */
export interface OpenedTarget {
  readonly target: DatabaseTarget;
  /** Null where the role of the target migrates too, or nothing here does. */
  readonly owner: DatabaseOwner | null;
  /** Null for a database of the operator's own. */
  readonly embedded: EmbeddedServer | null;
}

/**
 * The place of a deployment's keys: as configured, or the main database if an earlier version stored them there and
 * nothing is configured.
 */
export async function locateKeyStorage(
  config: ApiConfig,
  { target, owner }: Pick<OpenedTarget, 'target' | 'owner'>,
  store: Pick<RestoreStore, 'link' | 'holdsKeys'>,
): Promise<{ readonly place: KeyStorageTarget; readonly inMain: boolean }> {
  const place = keyStorageTarget(config);
  const elsewhere = { place, inMain: false };
  if (config.keyDatabaseUrl !== undefined || config.keyStoreDirectory !== undefined) return elsewhere;
  const main = mainKeyStorage(target, owner);
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
): Promise<OpenedTarget> {
  const { databaseUrl, databasePasswordFile, databaseOwnerUrl, databaseOwnerPasswordFile } = config;
  if (databaseUrl !== null) {
    return {
      target: targetOf(databaseUrl, 'SVC_DATABASE_PASSWORD_FILE', databasePasswordFile),
      owner: ownerOf('SVC_DATABASE_OWNER_URL', databaseOwnerUrl, databaseOwnerPasswordFile),
      embedded: null,
    };
  }
  const embedded = await startEmbeddedServer({
    dataDirectory: config.dataDirectory,
    random,
    share,
    onLost: () => logger.warn('the embedded database went away and is being brought back'),
  });
  cleanup.add(() => embedded.stop());
  return { target: embedded.target, owner: { target: embedded.owner, setting: 'SVC_DATA_DIR' }, embedded };
}

/** The database of a running service or of none, with its schema as it must be. @param cleanup closes it */
export async function openMain(config: ApiConfig, cleanup: Cleanup) {
  const opened = await openTarget(config, systemRandom, true, createLogger('silent'), cleanup);
  const database = openDatabase({ target: opened.target });
  cleanup.add(() => database.close());
  const role = await openingDatabase('DATABASE_URL', () => migrate(database.connection, opened.owner));
  return { ...opened, database, role };
}

/** Moves keys and memory out of the main database; if that is the embedded one, also purges its files. */
export async function moveOutOfMain(
  o: OpenedTarget & {
    readonly database: Database;
    readonly place: KeyStorageTarget;
    readonly actor: Actor;
    readonly clock: Clock;
    readonly random: Random;
  },
): Promise<MovedKeys> {
  const { database, embedded, clock, random } = o;
  const from = await openKeyStorage(mainKeyStorage(o.target, o.owner), random);
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
        scrub: embedded?.scrub ?? null,
      });
    } finally {
      await to.close();
    }
  } finally {
    await from.close();
  }
}
