import { join } from 'node:path';
import { DurableFolder, readPrivateFile, withFolderLock } from '@svc/durable-fs';
import type { DatabaseTarget } from '../db/connection.ts';
import { type Random, systemRandom } from '../platform/ports.ts';
import type { ErasureMemory } from './erasure-memory.ts';
import { createFileErasureMemory } from './file-erasure-memory.ts';
import { createFileKeyStore, type Exclusive } from './file-key-store.ts';
import type { KeyStore } from './key-store.ts';
import { openPostgresStorage } from './postgres-store.ts';

/** Where keys and the erasure memory lie. */
export type KeyStorageTarget =
  | {
      readonly kind: 'postgres';
      readonly target: DatabaseTarget;
      /** Where the owners' secrets lie; null for tables of the main database, as an earlier edition kept them. */
      readonly secrets: SecretsPlace | null;
    }
  | { readonly kind: 'folder'; readonly path: string };

/** A folder outside of the database. */
export interface SecretsPlace {
  readonly directory: string;
  /**
   * Chosen by the operator: keys of an earlier edition get secrets there, too. The default place is for new stores
   * alone.
   */
  readonly isChosen: boolean;
}

/** A text that nodes change in turn. */
export interface SigningNote {
  read(): Promise<string | null>;
  /** @returns false when another text than the one read is there by now */
  replace(from: string | null, to: string): Promise<boolean>;
}

/** An opened key store. */
export interface KeyStorage {
  /** Random, made with the store; the database notes it, so that nobody mixes up two stores. */
  readonly storeId: string;
  readonly keys: KeyStore;
  readonly erasures: ErasureMemory;
  /**
   * Whether a key that is destroyed can be read by nobody who holds an older state of where it lay: a log, a copy, a
   * backup.
   */
  readonly leavesNoTrace: boolean;
  /**
   * What devices trust, as text; null before the first start. It lies with the keys, so that no backup of the database
   * sets it back.
   */
  readonly signing: SigningNote;
  /** Takes another store's identity, whose place it takes; for a store that is still empty. */
  adopt(storeId: string): Promise<void>;
  /** Whether it can be read, within two seconds. Never throws. */
  answers(): Promise<boolean>;
  close(): Promise<void>;
}

const STORE_ID = 'store-id';
const SIGNING = 'signing';

/**
 * Opens a key store, and makes what is not there yet.
 * @throws Error when it cannot be reached
 */
export async function openKeyStorage(where: KeyStorageTarget, random: Random): Promise<KeyStorage> {
  const storage = await open(where, Buffer.from(random.bytes(16)).toString('hex'), random);
  if (storage === null) throw new Error('the key store has no identity');
  return storage;
}

/**
 * Opens a key store as it is, and makes nothing.
 * @returns null where there is none
 * @throws Error when it cannot be reached
 */
export function findKeyStorage(where: KeyStorageTarget): Promise<KeyStorage | null> {
  return open(where, null, systemRandom);
}

/** @param newId the identity of a store that is to be made where there is none; null to make nothing */
function open(where: KeyStorageTarget, newId: string | null, random: Random): Promise<KeyStorage | null> {
  return where.kind === 'folder' ? openFolder(where.path, newId) : openPostgresStorage(where, newId, random);
}

async function openFolder(path: string, newId: string | null): Promise<KeyStorage | null> {
  // A store has its identity last: what has none yet is not one.
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
    leavesNoTrace: true,
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
    adopt: (adopted) => exclusive(() => store.write(STORE_ID, adopted)),
    close: async () => {
      await turn;
    },
  };
}
