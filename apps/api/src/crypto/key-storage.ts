import { join } from 'node:path';
import { type DatabaseTarget, openDatabase } from '../db/connection.ts';
import { migrateKeyStore } from '../db/migrate.ts';
import type { Random } from '../ports.ts';
import type { ErasureMemory } from './erasure-memory.ts';
import { createFileErasureMemory } from './file-erasure-memory.ts';
import { createFileKeyStore, type Exclusive } from './file-key-store.ts';
import { withFolderLock } from './folder-lock.ts';
import type { KeyStore } from './key-store.ts';
import { createPostgresErasureMemory } from './postgres-erasure-memory.ts';
import { createPostgresKeyStore } from './postgres-key-store.ts';
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
export function openKeyStorage(where: KeyStorageTarget, random: Random): Promise<KeyStorage> {
  const newId = Buffer.from(random.bytes(16)).toString('hex');
  return where.kind === 'folder' ? openFolder(where.path, newId) : openPostgres(where.target, newId);
}

async function openPostgres(target: DatabaseTarget, newId: string): Promise<KeyStorage> {
  const { connection, close } = openDatabase({ target, poolSize: POOL_SIZE });
  try {
    await migrateKeyStore(connection);
    await connection('key_store').insert({ store_id: newId }).onConflict('only_row').ignore();
    const row: { store_id: string } | undefined = await connection('key_store').first('store_id');
    if (row === undefined) throw new Error('the key store has no identity');
    return {
      storeId: row.store_id,
      keys: createPostgresKeyStore(connection),
      erasures: createPostgresErasureMemory(connection),
      answers: () => isDone(connection.raw('SELECT 1').timeout(ANSWER_MS)),
      adopt: async (storeId) => {
        await connection('key_store').update({ store_id: storeId });
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

async function openFolder(path: string, newId: string): Promise<KeyStorage> {
  const store = await PrivateFolder.open(path);
  const open = (name: string) => PrivateFolder.open(join(path, name));
  const [keys, shredded, keks] = [await open('keys'), await open('shredded'), await open('keks')];
  const [erasures, versions] = [await open('erasures'), await open('versions')];
  await store.create(STORE_ID, newId);
  const storeId = await store.read(STORE_ID);
  if (storeId === null) throw new Error('the key store has no identity');

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
