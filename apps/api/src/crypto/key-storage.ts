import { join } from 'node:path';
import { type Connection, type DatabaseTarget, openDatabase } from '../db/connection.ts';
import { migrateKeyStore } from '../db/migrate.ts';
import type { Random } from '../ports.ts';
import type { ErasureMemory } from './erasure-memory.ts';
import { createFileErasureMemory } from './file-erasure-memory.ts';
import { createFileKeyStore, type Exclusive } from './file-key-store.ts';
import { withFolderLock } from './folder-lock.ts';
import type { KeyStore } from './key-store.ts';
import { createPostgresErasureMemory } from './postgres-erasure-memory.ts';
import { createPostgresKeyStore } from './postgres-key-store.ts';
import { readPrivateFile } from './private-file.ts';
import { PrivateFolder } from './private-folder.ts';

/** Where keys and the erasure memory lie. */
export type KeyStorageTarget =
  | { readonly kind: 'postgres'; readonly target: DatabaseTarget }
  | { readonly kind: 'folder'; readonly path: string };

/** An opened key store. */
export interface KeyStorage {
  /** Random, made with the store; the database notes it, so that nobody mixes up two stores. */
  readonly storeId: string;
  readonly keys: KeyStore;
  readonly erasures: ErasureMemory;
  /** Takes another store's identity, whose place it takes; for a store that is still empty. */
  adopt(storeId: string): Promise<void>;
  /** Whether it can be read, within two seconds. Never throws. */
  answers(): Promise<boolean>;
  close(): Promise<void>;
}

/** Connections of a node to the key store: apart from those of transactions that wait for it. */
const POOL_SIZE = 4;
const STORE_ID = 'store-id';
const ANSWER_MS = 2_000;

const isDone = (work: PromiseLike<unknown>): Promise<boolean> =>
  Promise.resolve(work).then(
    () => true,
    () => false,
  );

/**
 * Opens a key store, and makes what is not there yet.
 * @throws Error when it cannot be reached
 */
export async function openKeyStorage(where: KeyStorageTarget, random: Random): Promise<KeyStorage> {
  const storage = await open(where, Buffer.from(random.bytes(16)).toString('hex'));
  if (storage === null) throw new Error('the key store has no identity');
  return storage;
}

/**
 * Opens a key store as it is, and makes nothing.
 * @returns null where there is none
 * @throws Error when it cannot be reached
 */
export function findKeyStorage(where: KeyStorageTarget): Promise<KeyStorage | null> {
  return open(where, null);
}

/** @param newId the identity of a store that is to be made where there is none; null to make nothing */
function open(where: KeyStorageTarget, newId: string | null): Promise<KeyStorage | null> {
  return where.kind === 'folder' ? openFolder(where.path, newId) : openPostgres(where.target, newId);
}

async function makeTables(connection: Connection, newId: string): Promise<void> {
  await migrateKeyStore(connection);
  await connection('key_store').insert({ store_id: newId }).onConflict('only_row').ignore();
}

async function storeIdIn(connection: Connection): Promise<string | null> {
  if (!(await connection.schema.hasTable('key_store'))) return null;
  const row: { store_id: string } | undefined = await connection('key_store').first('store_id');
  return row?.store_id ?? null;
}

async function openPostgres(target: DatabaseTarget, newId: string | null): Promise<KeyStorage | null> {
  const { connection, close } = openDatabase({ target, poolSize: POOL_SIZE });
  try {
    if (newId !== null) await makeTables(connection, newId);
    const storeId = await storeIdIn(connection);
    if (storeId === null) {
      await close();
      return null;
    }
    return {
      storeId,
      keys: createPostgresKeyStore(connection),
      erasures: createPostgresErasureMemory(connection),
      answers: () => isDone(connection.raw('SELECT 1').timeout(ANSWER_MS)),
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

async function openFolder(path: string, newId: string | null): Promise<KeyStorage | null> {
  // A store has its identity last: what has none yet is not one.
  if (newId === null && (await readPrivateFile(join(path, STORE_ID))) === null) return null;
  const folder = (at: string) => (newId === null ? PrivateFolder.existing(at) : PrivateFolder.open(at));
  const store = await folder(path);
  const inner = (name: string) => folder(join(path, name));
  const [keys, shredded, keks] = [await inner('keys'), await inner('shredded'), await inner('keks')];
  const [erasures, versions] = [await inner('erasures'), await inner('versions')];
  if (newId !== null) await store.create(STORE_ID, newId);
  const storeId = await store.read(STORE_ID);
  if (storeId === null) return null;

  let turn: Promise<unknown> = Promise.resolve();
  const exclusive: Exclusive = (change) => {
    const mine = turn.then(() => withFolderLock(path, change));
    turn = mine.catch(() => undefined);
    return mine;
  };
  return {
    storeId,
    keys: createFileKeyStore({ keys, shredded, keks }, exclusive),
    erasures: createFileErasureMemory({ erasures, versions, store, shredded }, exclusive),
    answers: () => isDone(store.read(STORE_ID)),
    adopt: (adopted) => exclusive(() => store.replace(STORE_ID, adopted)),
    close: async () => {
      await turn;
    },
  };
}
