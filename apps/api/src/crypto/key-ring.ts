import type { Clock, Random } from '../platform/ports.ts';
import { KeyEncryptionError } from './kek.ts';
import type { KeyEncryption } from './key-encryption.ts';
import type { KeyName, KeyStore } from './key-store.ts';

const KEY_BYTES = 32;
const ACCOUNT_EPOCH = 0;
const PAGE = 100;

/** The list has no key, because the list was deleted or never existed. */
export class KeyShreddedError extends Error {
  override readonly name = 'KeyShreddedError';
}

/** A list's key as it is in the key store now, still wrapped. */
export interface StoredListKey {
  /** Equal bytes mean the same key. */
  readonly wrapped: Uint8Array;
  /** The caller wipes the answer (32 bytes). */
  unwrap(): Promise<Uint8Array>;
}

/** The context that a wrapped key is bound to. */
export const wrappingContext = ({ ownerId, epoch }: KeyName): readonly string[] => [ownerId, String(epoch)];

/** The keys of lists and accounts. Nothing is cached, so that a shredded key is unavailable on every node at once. */
export type KeyRing = ReturnType<typeof createKeyRing>;

export function createKeyRing(o: {
  readonly keyEncryption: KeyEncryption;
  readonly keyStore: KeyStore;
  readonly clock: Clock;
  readonly random: Random;
}) {
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
    /**
     * Creates and stores the key of an epoch, or returns the existing one. The caller wipes the answer (32 bytes).
     * @throws KeyShreddedError when the list's keys were destroyed
     */
    createListKey: create,
    /** The caller wipes the answer (32 bytes). @throws KeyShreddedError when the list has no such key */
    unwrapListKey: unwrap,
    /** Reads a key without unwrapping it, for callers that may not need it. @throws KeyShreddedError when there is none */
    findListKey: find,
    /** The highest epoch that ever got a key, even if the database was restored to a state before it; 0 for none. */
    async newestEpoch(listId: string): Promise<number> {
      let newest = 0;
      for (;;) {
        const page = await o.keyStore.page({ ownerId: listId, epoch: newest }, PAGE);
        const own = page.filter(({ name }) => name.ownerId === listId);
        newest = own.at(-1)?.name.epoch ?? newest;
        if (own.length < PAGE) return newest;
      }
    },
    /** Destroys the keys of all epochs of a list: its records become unreadable, and it never gets a key again. */
    shredList: (listId: string) => o.keyStore.shred(listId, o.clock.now()),
    /** Destroys an account's key: its pseudonyms and its ledger become meaningless. */
    shredAccount: (accountId: string) => o.keyStore.shred(accountId, o.clock.now()),
    /** Called once per account. */
    async createAccountKey(accountId: string): Promise<void> {
      (await create(accountId, ACCOUNT_EPOCH)).fill(0);
    },
    /** The caller wipes the answer (32 bytes). @throws KeyShreddedError when the account has none */
    unwrapAccountKey: (accountId: string) => unwrap(accountId, ACCOUNT_EPOCH),
    /** Checks that the KEKs are this deployment's. @throws KeyEncryptionError naming what is missing */
    async verify(): Promise<void> {
      const known = o.keyEncryption.kekIds;
      const remembered = await o.keyStore.rememberKek(known[0], o.clock.now(), known);
      const missing = [...(await o.keyStore.countByKek()).keys()].filter((id) => !known.includes(id));
      if (!remembered.some((id) => known.includes(id)) || missing.length > 0) {
        const needed = [...new Set([...missing, ...remembered])].filter((id) => !known.includes(id));
        throw new KeyEncryptionError(
          `this deployment's keys are wrapped with key-encryption keys that are not configured here: ${needed.join(', ')}`,
        );
      }
    },
  };
}
