import { mainKeyStorage } from '../compose/targets.ts';
import { openKeyStorage } from '../crypto/key-storage.ts';
import { systemRandom } from '../crypto/random.ts';
import { type DatabaseTarget, openDatabase } from '../db/connection.ts';
import { migrate } from '../db/migrate.ts';

/** What an earlier edition has left: a key store in tables of the main database, which knows it. */
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
