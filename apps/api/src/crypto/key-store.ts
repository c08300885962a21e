import type { WrappedKey } from './key-encryption.ts';

/** Whose key: a list's (one an epoch) or an account's (epoch 0). */
export interface KeyName {
  readonly ownerId: string;
  readonly epoch: number;
}

export interface StoredKey {
  readonly name: KeyName;
  readonly key: WrappedKey;
}

/**
 * Database and key store do not belong together, or one lacks what the other refers to; an operator can put it right.
 */
export class KeyStoreError extends Error {
  override readonly name = 'KeyStoreError';
}

/**
 * Wrapped keys, and nothing else. Kept apart from everything that refers to them, so that it can lie in another
 * database than the records or in a folder, with backups of its own: a restored backup of the records then brings no
 * deleted key back.
 */
export interface KeyStore {
  /**
   * `taken`: the key that is there stays. `shredded`: the owner's keys were destroyed, and there will be none again.
   */
  add(name: KeyName, key: WrappedKey, createdAtMs: number): Promise<'added' | 'taken' | 'shredded'>;
  get(name: KeyName): Promise<WrappedKey | null>;
  /** Destroys every epoch's key of an owner for good; none left is fine. */
  shred(ownerId: string, atMs: number): Promise<void>;
  /**
   * Puts a key in the place of the one that was read; never brings back one that is gone.
   * @returns false when another is there by now
   */
  replace(name: KeyName, from: WrappedKey, to: WrappedKey): Promise<boolean>;
  /** Keys in the order of owner and epoch, those after the one named. */
  page(after: KeyName | null, limit: number): Promise<StoredKey[]>;
  /** Keeps keys of an earlier edition as new ones are kept; interrupted, it is called again. @returns how many */
  protectOlder(): Promise<number>;
  /** How many keys each KEK has wrapped; those with none are absent. */
  countByKek(): Promise<ReadonlyMap<string, number>>;
  /**
   * Remembers that a deployment uses a KEK. The first call of all wins; later ones learn whether they know one of the
   * remembered.
   * @returns the ids that are remembered, in no order
   */
  rememberKek(kekId: string, seenAtMs: number, known: readonly string[]): Promise<string[]>;
}
