import { join } from 'node:path';
import { DurableFolder, readPrivateFile, withFolderLock } from '@svc/durable-fs';
import type { DatabaseOwner, DatabaseTarget } from '../db/connection.ts';
import type { RoleFacts } from '../db/roles.ts';
import { type Random, systemRandom } from '../platform/ports.ts';
import type { ErasureMemory } from './erasure-memory.ts';
import { createFileErasureMemory } from './file-erasure-memory.ts';
import { createFileKeyStore, type Exclusive } from './file-key-store.ts';
import type { KeyStore } from './key-store.ts';
import { openPostgresStorage } from './postgres-store.ts';

/** Place of the keys and the erasure memory. */
export type KeyStorageTarget =
  | {
      readonly kind: 'postgres';
      readonly target: DatabaseTarget;
      /** Migrates, where it is another role than the target's. */
      readonly owner?: DatabaseOwner | null;
      /** A folder outside of the database, for the owners' secrets. */
      readonly secrets: string;
    }
  | { readonly kind: 'folder'; readonly path: string };

/** A text that nodes replace one at a time. */
export interface SigningNote {
  read(): Promise<string | null>;
  /** @returns false when the text was changed since it was read */
  replace(from: string | null, to: string): Promise<boolean>;
}

/** An opened key store. */
export interface KeyStorage {
  /** Random, made with the store; also stored in the database, so that a wrong store is noticed. */
  readonly storeId: string;
  readonly keys: KeyStore;
  readonly erasures: ErasureMemory;
  /** The database's role; null for a folder. */
  readonly role: RoleFacts | null;
  /**
   * The signing keys that devices trust, as text; null before the first start. Stored with the keys, so that restoring
   * a backup of the database does not restore an older state of it.
   */
  readonly signing: SigningNote;
  /** Whether the store answers within two seconds. Never throws. */
  answers(): Promise<boolean>;
  close(): Promise<void>;
}

const STORE_ID = 'store-id';
const SIGNING = 'signing';

/** Opens a key store, and creates what is missing. @throws Error when it cannot be reached */
export async function openKeyStorage(where: KeyStorageTarget, random: Random): Promise<KeyStorage> {
  const storage = await open(where, Buffer.from(random.bytes(16)).toString('hex'), random);
  if (storage === null) throw new Error('the key store has no identity');
  return storage;
}

/** Opens an existing key store. @returns null when there is none @throws Error when it cannot be reached */
export function findKeyStorage(where: KeyStorageTarget): Promise<KeyStorage | null> {
  return open(where, null, systemRandom);
}

/** @param newId identity of a store to create if there is none; null to create nothing */
function open(where: KeyStorageTarget, newId: string | null, random: Random): Promise<KeyStorage | null> {
  return where.kind === 'folder' ? openFolder(where.path, newId) : openPostgresStorage(where, newId, random);
}

async function openFolder(path: string, newId: string | null): Promise<KeyStorage | null> {
  // The identity is written last: a store without one is incomplete.
  if (newId === null && (await readPrivateFile(join(path, STORE_ID))) === null) return null;
  const folder = (at: string) => (newId === null ? DurableFolder.existing(at) : DurableFolder.openShared(at));
  const store = await folder(path);
  const inner = (name: string) => folder(join(path, name));
  const [keys, shredded, keks] = [await inner('keys'), await inner('shredded'), await inner('keks')];
  const [erasures, versions] = [await inner('erasures'), await inner('versions')];
  if (newId !== null) await store.create(STORE_ID, newId);
  const storeId = await store.readText(STORE_ID);
  if (storeId === null) return null;

  let turn: Promise<unknown> = Promise.resolve();
  const exclusive: Exclusive = (change) => {
    const mine = turn.then(() => withFolderLock(path, change));
    turn = mine.catch(() => undefined);
    return mine;
  };
  if (newId !== null) await exclusive(() => keys.destroyDrafts());
  return {
    storeId,
    keys: createFileKeyStore({ keys, shredded, keks }, exclusive),
    erasures: createFileErasureMemory({ erasures, versions, store, shredded }, exclusive),
    role: null,
    signing: {
      read: () => store.readText(SIGNING),
      replace: (from, to) =>
        exclusive(async () => {
          if ((await store.readText(SIGNING)) !== from) return false;
          await store.write(SIGNING, to);
          return true;
        }),
    },
    answers: () =>
      store.readText(STORE_ID).then(
        () => true,
        () => false,
      ),
    close: async () => {
      await turn;
    },
  };
}
