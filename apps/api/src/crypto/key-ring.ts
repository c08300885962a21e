import type { Clock, Random } from '../platform/ports.ts';
import { type KeyEncryption, KeyEncryptionError } from './key-encryption.ts';
import type { KeyName, KeyStore } from './key-store.ts';

const KEY_BYTES = 32;
const ACCOUNT_EPOCH = 0;
const PAGE = 100;

/** The key of a list is not there any more (or never was): the list was deleted. */
export class KeyShreddedError extends Error {
  override readonly name = 'KeyShreddedError';
}

/** A list's key as the key store holds it at this moment, still wrapped. */
export interface StoredListKey {
  /** The same bytes mean the same key. */
  readonly wrapped: Uint8Array;
  /** The caller wipes the answer (32 bytes). */
  unwrap(): Promise<Uint8Array>;
}

/** The keys of lists and accounts. Nothing is cached: what was shredded is gone for every node at once. */
export interface KeyRing {
  /**
   * Makes, wraps and stores the key of an epoch, or finds the one that is there. The caller wipes the answer (32
   * bytes).
   * @throws KeyShreddedError when the list's keys were destroyed
   */
  createListKey(listId: string, epoch: number): Promise<Uint8Array>;
  /**
   * The caller wipes the answer (32 bytes).
   * @throws KeyShreddedError when the list has no such key
   */
  unwrapListKey(listId: string, epoch: number): Promise<Uint8Array>;
  /**
   * Asks the key store for a key and leaves it wrapped, for whoever may not need it.
   * @throws KeyShreddedError when the list has no such key
   */
  findListKey(listId: string, epoch: number): Promise<StoredListKey>;
  /**
   * The highest epoch that a key of the list was ever made for, also by a state of the database that is gone; 0 for
   * none.
   */
  newestEpoch(listId: string): Promise<number>;
  /** Destroys the keys of every epoch of a list: from here on nobody reads its records, and it gets no key again. */
  shredList(listId: string): Promise<void>;
  /** Destroys an account's key: its pseudonyms and its ledger say nothing any more. */
  shredAccount(accountId: string): Promise<void>;
  /** Makes the account's key, for its pseudonyms and its consent ledger; once only. */
  createAccountKey(accountId: string): Promise<void>;
  /** The caller wipes the answer (32 bytes). @throws KeyShreddedError when the account has none */
  unwrapAccountKey(accountId: string): Promise<Uint8Array>;
  /** Refuses KEKs that are not this deployment's. @throws KeyEncryptionError naming what is missing */
  verify(): Promise<void>;
}

/** What a wrapped key is bound to. */
export const wrappingContext = ({ ownerId, epoch }: KeyName): readonly string[] => [ownerId, String(epoch)];

export function createKeyRing(o: {
  readonly keyEncryption: KeyEncryption;
  readonly keyStore: KeyStore;
  readonly clock: Clock;
  readonly random: Random;
}): KeyRing {
  async function find(ownerId: string, epoch: number): Promise<StoredListKey> {
    const wrapped = await o.keyStore.get({ ownerId, epoch });
    if (wrapped === null) throw new KeyShreddedError('the key is gone');
    return {
      wrapped: wrapped.bytes,
      unwrap: () => o.keyEncryption.unwrap(wrapped, wrappingContext({ ownerId, epoch })),
    };
  }

  const unwrap = async (ownerId: string, epoch: number) => (await find(ownerId, epoch)).unwrap();

  async function create(ownerId: string, epoch: number): Promise<Uint8Array> {
    const key = o.random.bytes(KEY_BYTES);
    const wrapped = await o.keyEncryption.wrap(key, wrappingContext({ ownerId, epoch }));
    const outcome = await o.keyStore.add({ ownerId, epoch }, wrapped, o.clock.now());
    if (outcome === 'added') return key;
    key.fill(0);
    return unwrap(ownerId, epoch);
  }

  return {
    createListKey: create,
    unwrapListKey: unwrap,
    findListKey: find,
    async newestEpoch(listId) {
      let newest = 0;
      for (;;) {
        const page = await o.keyStore.page({ ownerId: listId, epoch: newest }, PAGE);
        const own = page.filter(({ name }) => name.ownerId === listId);
        newest = own.at(-1)?.name.epoch ?? newest;
        if (own.length < PAGE) return newest;
      }
    },
    shredList: (listId) => o.keyStore.shred(listId, o.clock.now()),
    shredAccount: (accountId) => o.keyStore.shred(accountId, o.clock.now()),
    async createAccountKey(accountId) {
      (await create(accountId, ACCOUNT_EPOCH)).fill(0);
    },
    unwrapAccountKey: (accountId) => unwrap(accountId, ACCOUNT_EPOCH),
    async verify() {
      const known = o.keyEncryption.kekIds;
      const remembered = await o.keyStore.rememberKek(known[0], o.clock.now(), known);
      const missing = [...(await o.keyStore.countByKek()).keys()].filter((id) => !known.includes(id));
      if (!remembered.some((id) => known.includes(id)) || missing.length > 0) {
        const needed = [...new Set([...missing, ...remembered])].filter((id) => !known.includes(id));
        throw new KeyEncryptionError(
          `this deployment's keys are wrapped by key-encryption keys that are not configured here: ${needed.join(', ')}`,
        );
      }
    },
  };
}
