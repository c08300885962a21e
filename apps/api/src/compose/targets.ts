import { join } from 'node:path';
import type { Logger } from 'pino';
import type { ApiConfig } from '../config/config.ts';
import { findKeyStorage, type KeyStorageTarget } from '../crypto/key-storage.ts';
import type { DatabaseTarget, PasswordFile } from '../db/connection.ts';
import { type EmbeddedServer, startEmbeddedServer } from '../db/embedded/index.ts';
import type { RestoreStore } from '../features/restore/store.ts';
import type { Cleanup } from '../platform/cleanup.ts';
import type { Random } from '../platform/ports.ts';

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
