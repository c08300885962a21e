import { join } from 'node:path';
import type { Logger } from 'pino';
import type { ApiConfig } from '../config/config.ts';
import { openingDatabase } from '../config/start-error.ts';
import type { KeyStorageTarget } from '../crypto/key-storage.ts';
import { type DatabaseOwner, type DatabaseTarget, openDatabase } from '../db/connection.ts';
import { type EmbeddedServer, startEmbeddedServer } from '../db/embedded/index.ts';
import { migrate } from '../db/migrate.ts';
import type { Cleanup } from '../platform/cleanup.ts';
import { createLogger } from '../platform/logger.ts';
import { type Random, systemRandom } from '../platform/ports.ts';

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
    secrets: keySecretsDirectory ?? join(dataDirectory, 'key-secrets'),
  };
}

/** A deployment's main database. */
export interface OpenedTarget {
  readonly target: DatabaseTarget;
  /** Null where the role of the target migrates too, or nothing here does. */
  readonly owner: DatabaseOwner | null;
  /** Null for a database of the operator's own. */
  readonly embedded: EmbeddedServer | null;
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
