import type { Logger } from 'pino';
import type { Cleanup } from '../cleanup.ts';
import type { ApiConfig } from '../config.ts';
import type { KeyStorageTarget } from '../crypto/key-storage.ts';
import type { DatabaseTarget } from '../db/connection.ts';
import { startEmbeddedServer } from '../db/embedded/index.ts';
import type { Random } from '../ports.ts';

/** Where a deployment keeps its keys and the memory of erasures; null: in the main database. */
export function keyStorageTarget({ keyDatabaseUrl, keyStoreDirectory }: ApiConfig): KeyStorageTarget | null {
  if (keyStoreDirectory !== undefined) return { kind: 'folder', path: keyStoreDirectory };
  if (keyDatabaseUrl === undefined) return null;
  return { kind: 'postgres', target: { connectionString: keyDatabaseUrl } };
}

/** The configured database, or the embedded one. */
export async function openTarget(
  config: ApiConfig,
  random: Random,
  share: boolean,
  logger: Logger,
  cleanup: Cleanup,
): Promise<DatabaseTarget> {
  if (config.databaseUrl !== null) return { connectionString: config.databaseUrl };
  const server = await startEmbeddedServer({
    dataDirectory: config.dataDirectory,
    random,
    share,
    onLost: () => logger.warn('the embedded database went away and is being brought back'),
  });
  cleanup.add(() => server.stop());
  return server.target;
}
