import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { mainKeyStorage } from '../compose/targets.ts';
import type { ApiConfig } from '../config/config.ts';
import { openKeyStorage } from '../crypto/key-storage.ts';
import { type DatabaseTarget, openDatabase } from '../db/connection.ts';
import { migrate } from '../db/migrate.ts';
import { systemRandom } from '../platform/ports.ts';

const folderOf = ({ dataDirectory, keyStoreDirectory }: ApiConfig) =>
  join(keyStoreDirectory ?? join(dataDirectory, 'keys'), 'keys');

/** A deployment's key files, as the folder store names them: `<owner>.<epoch>`. @param owners default: all */
export async function keyFiles(config: ApiConfig, owners?: readonly string[]): Promise<string[]> {
  const names = await readdir(folderOf(config));
  return owners === undefined ? names : names.filter((name) => owners.some((owner) => name.startsWith(`${owner}.`)));
}

/** Deletes an owner's keys without the store's knowledge, like a disk failure. */
export async function loseKeys(config: ApiConfig, owner: string): Promise<void> {
  for (const name of await keyFiles(config, [owner])) await rm(join(folderOf(config), name));
}

/** Creates a key store of an earlier version: in tables of the main database, which refers to it. */
export async function makeOlderKeyStore(target: DatabaseTarget): Promise<void> {
  const database = openDatabase({ target });
  try {
    await migrate(database.connection);
    const main = await openKeyStorage(mainKeyStorage(target), systemRandom);
    await database.connection('key_store_link').insert({ store_id: main.storeId, replayed_at: new Date() });
    await main.close();
  } finally {
    await database.close();
  }
}
