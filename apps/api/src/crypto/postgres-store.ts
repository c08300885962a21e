import { type Connection, openDatabase } from '../db/connection.ts';
import { migrateKeyStore } from '../db/migrate.ts';
import type { Random } from '../platform/ports.ts';
import type { KeyStorage, KeyStorageTarget, SecretsPlace } from './key-storage.ts';
import { KeyStoreError } from './key-store.ts';
import { findOwnerSecrets, type OwnerSecrets, openOwnerSecrets } from './owner-secrets.ts';
import { createPostgresErasureMemory } from './postgres-erasure-store.ts';
import { createPostgresKeyStore } from './postgres-key-store.ts';

/** Connections to the key store, separate from those of transactions that wait for it. */
const POOL_SIZE = 4;

async function makeTables(connection: Connection, newId: string): Promise<void> {
  await migrateKeyStore(connection);
  await connection('key_store').insert({ store_id: newId }).onConflict('only_row').ignore();
}

async function storeIdIn(connection: Connection): Promise<string | null> {
  if (!(await connection.schema.hasTable('key_store'))) return null;
  const row: { store_id: string } | undefined = await connection('key_store').first('store_id');
  return row?.store_id ?? null;
}

/**
 * The secrets that seal the store's keys; null for a store of an earlier version, which has none.
 * @param isMade whether to create secrets for such a store
 * @throws KeyStoreError when the folder belongs to another store
 */
async function openSecrets(
  connection: Connection,
  place: SecretsPlace | null,
  isMade: boolean,
  random: Random,
): Promise<OwnerSecrets | null> {
  if (!(await connection.schema.hasColumn('key_store', 'secrets_id'))) return null;
  const noted = async () => {
    const row: { secrets_id: string | null } | undefined = await connection('key_store').first('secrets_id');
    return row?.secrets_id ?? null;
  };
  let id = await noted();
  if (id === null && place !== null && isMade) {
    const isNew = (await connection('wrapped_keys').first('owner_id')) === undefined;
    if (!isNew && !place.isChosen) return null;
    const made = await openOwnerSecrets(place.directory, random);
    await connection('key_store').whereNull('secrets_id').update({ secrets_id: made.id });
    id = await noted();
  }
  if (id === null) return null;
  const secrets = place === null ? null : await findOwnerSecrets(place.directory, random);
  if (secrets?.id === id) return secrets;
  throw new KeyStoreError(
    'the secrets of the key store’s keys are not in this folder: SVC_KEY_SECRETS_DIR must name the same one on every node',
  );
}

/** @param newId identity of a store to create if there is none; null to create nothing */
export async function openPostgresStorage(
  { target, secrets: place }: KeyStorageTarget & { readonly kind: 'postgres' },
  newId: string | null,
  random: Random,
): Promise<KeyStorage | null> {
  const { connection, answers, close } = openDatabase({ target, poolSize: POOL_SIZE });
  try {
    if (newId !== null) await makeTables(connection, newId);
    const storeId = await storeIdIn(connection);
    if (storeId === null) {
      await close();
      return null;
    }
    const secrets = await openSecrets(connection, place, newId !== null, random);
    return {
      storeId,
      keys: createPostgresKeyStore(connection, { secrets, random }),
      erasures: createPostgresErasureMemory(connection),
      leavesNoTrace:
        secrets !== null &&
        (await connection('wrapped_keys').where({ is_sealed: false }).first('owner_id')) === undefined,
      signing: {
        async read() {
          if (!(await connection.schema.hasColumn('key_store', 'signing'))) return null;
          const row: { signing: string | null } | undefined = await connection('key_store').first('signing');
          return row?.signing ?? null;
        },
        replace: async (from, to) =>
          (await connection('key_store').whereRaw('signing IS NOT DISTINCT FROM ?', [from]).update({ signing: to })) ===
          1,
      },
      answers,
      adopt: async (adopted) => {
        await connection('key_store').update({ store_id: adopted });
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}
