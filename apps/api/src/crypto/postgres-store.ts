import { columnsOf } from '../db/columns.ts';
import { type Connection, type DatabaseOwner, openDatabase } from '../db/connection.ts';
import { migrateKeyStore } from '../db/migrate.ts';
import { roleFacts } from '../db/roles.ts';
import type { Random } from '../platform/ports.ts';
import { decodeErasure, type ErasureMemory, encodeErasure, type SeenVersion } from './erasure-memory.ts';
import type { KeyStorage, KeyStorageTarget } from './key-storage.ts';
import { KeyStoreError } from './key-store.ts';
import { createPostgresKeyStore, findOwnerSecrets, type OwnerSecrets, openOwnerSecrets } from './postgres-key-store.ts';

interface ErasureRow {
  readonly seq: number;
  readonly erasure: string;
  readonly remembered_at: Date;
}

/** PostgreSQL accepts 65,535 values per statement. */
const INSERT_ROWS = 1_000;

const NOTE_VERSION = `
INSERT INTO list_versions_seen (account_id, list_id, version) VALUES (?, ?, ?)
ON CONFLICT (list_id) DO UPDATE SET version = excluded.version WHERE list_versions_seen.version < excluded.version`;

/** A column of the store's only row; null where it says nothing. */
async function noted<T>(connection: Connection, column: string): Promise<T | null> {
  const row: Readonly<Record<string, T | null>> | undefined = await connection('key_store').first(column);
  return row?.[column] ?? null;
}

/** The erasure memory in the key store's tables; needs the row in `key_store`. */
export function createPostgresErasureMemory(connection: Connection): ErasureMemory {
  return {
    async remember(erasures, atMs) {
      if (erasures.length === 0) return;
      await connection.transaction(async (tx) => {
        // The row's lock makes entries become readable in the order of their numbers.
        const [row]: { last_seq: number }[] = await tx('key_store')
          .increment('last_seq', erasures.length)
          .returning('last_seq');
        if (row === undefined) throw new Error('the key store was not opened');
        const first = row.last_seq - erasures.length + 1;
        const at = new Date(atMs);
        const rows = erasures.map((each, i) => ({ seq: first + i, erasure: encodeErasure(each), remembered_at: at }));
        for (let i = 0; i < rows.length; i += INSERT_ROWS) await tx('erasures').insert(rows.slice(i, i + INSERT_ROWS));
      });
    },
    last: async () => (await noted<number>(connection, 'last_seq')) ?? 0,
    async after(seq, limit) {
      const rows: ErasureRow[] = await connection('erasures').where('seq', '>', seq).orderBy('seq').limit(limit);
      return rows.map((row) => ({
        seq: row.seq,
        atMs: row.remembered_at.getTime(),
        erasure: decodeErasure(row.erasure),
      }));
    },
    async noteVersion({ accountId, listId, version }) {
      await connection.raw(NOTE_VERSION, [accountId, listId, version]);
    },
    async seenVersions(afterListId, limit) {
      return connection('list_versions_seen')
        .where('list_id', '>', afterListId)
        .orderBy('list_id')
        .limit(limit)
        .select(columnsOf<SeenVersion>()(['accountId', 'listId', 'version']));
    },
    async forget(beforeMs, through) {
      const before = new Date(beforeMs);
      await connection.transaction(async (tx) => {
        const gone = await tx('erasures').where('remembered_at', '<', before).where('seq', '<=', through).delete();
        if (gone > 0) await tx('key_store').update({ forgotten_before: before });
        await tx('shredded_owners').where('shredded_at', '<', before).delete();
      });
    },
    forgottenBefore: async () => (await noted<Date>(connection, 'forgotten_before'))?.getTime() ?? null,
  };
}

/** Connections to the key store, separate from those of transactions that wait for it. */
const POOL_SIZE = 4;

async function makeTables(connection: Connection, owner: DatabaseOwner | null, newId: string): Promise<void> {
  await migrateKeyStore(connection, owner);
  await connection('key_store').insert({ store_id: newId }).onConflict('only_row').ignore();
}

/**
 * The secrets that seal the store's keys.
 * @param isMade whether to create them for a store that has none yet
 * @throws KeyStoreError when the folder belongs to another store, or an edition before 0.1.0 left keys without secrets
 */
async function openSecrets(
  connection: Connection,
  directory: string,
  isMade: boolean,
  random: Random,
): Promise<OwnerSecrets> {
  const hasSecrets = await connection.schema.hasColumn('key_store', 'secrets_id');
  if (!hasSecrets || (await connection('wrapped_keys').where({ is_sealed: false }).first('owner_id')) !== undefined) {
    throw new KeyStoreError(
      'the key database has keys without secrets, as before 0.1.0: “svc keys rotate” of 0.2.0 seals them, with SVC_KEY_SECRETS_DIR set',
    );
  }
  let id = await noted<string>(connection, 'secrets_id');
  if (id === null && isMade) {
    const made = await openOwnerSecrets(directory, random);
    await connection('key_store').whereNull('secrets_id').update({ secrets_id: made.id });
    id = await noted<string>(connection, 'secrets_id');
  }
  const secrets = await findOwnerSecrets(directory, random);
  if (secrets !== null && secrets.id === id) return secrets;
  throw new KeyStoreError(
    'the secrets of the key store’s keys are not in this folder: SVC_KEY_SECRETS_DIR must name the same one on every node',
  );
}

/** @param newId identity of a store to create if there is none; null to create nothing */
export async function openPostgresStorage(
  { target, owner = null, secrets: directory }: KeyStorageTarget & { readonly kind: 'postgres' },
  newId: string | null,
  random: Random,
): Promise<KeyStorage | null> {
  const { connection, answers, close } = openDatabase({ target, poolSize: POOL_SIZE });
  try {
    if (newId !== null) await makeTables(connection, owner, newId);
    const isThere = await connection.schema.hasTable('key_store');
    const storeId = isThere ? await noted<string>(connection, 'store_id') : null;
    if (storeId === null) {
      await close();
      return null;
    }
    const secrets = await openSecrets(connection, directory, newId !== null, random);
    return {
      storeId,
      keys: createPostgresKeyStore(connection, { secrets, random }),
      erasures: createPostgresErasureMemory(connection),
      role: await roleFacts(connection),
      signing: {
        read: () => noted<string>(connection, 'signing'),
        replace: async (from, to) =>
          (await connection('key_store').whereRaw('signing IS NOT DISTINCT FROM ?', [from]).update({ signing: to })) ===
          1,
      },
      answers,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}
