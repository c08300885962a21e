import type { DurableFolder } from '@svc/durable-fs';
import type { WrappedKey } from './kek.ts';

/** The key of a list (one per epoch) or of an account (epoch 0). */
export interface KeyName {
  readonly ownerId: string;
  readonly epoch: number;
}

export interface StoredKey {
  readonly name: KeyName;
  readonly key: WrappedKey;
}

/** Database and key store do not match, or one lacks something that the other refers to; an operator can fix it. */
export class KeyStoreError extends Error {
  override readonly name = 'KeyStoreError';
}

/**
 * Reads a file of the key store, again if it was overwritten meanwhile.
 * @param parse returns null for what is no such file's content
 * @returns null when there is no file
 */
export async function readKeyFile<T>(
  folder: DurableFolder,
  file: string,
  parse: (text: string) => T | null,
): Promise<T | null> {
  for (let before: string | null = null; ; ) {
    const text = await folder.readText(file);
    if (text === null) return null;
    const content = parse(text);
    if (content !== null) return content;
    if (text === before) throw new Error('a file of the key store holds no key');
    before = text;
  }
}

/**
 * Stores wrapped keys. Separate from the records, in another database or a folder with backups of its own, so that a
 * restored backup of the records does not restore deleted keys.
 */
export interface KeyStore {
  /**
   * `taken`: there is a key already, and it stays. `shredded`: the owner's keys were destroyed and it gets no new ones.
   */
  add(name: KeyName, key: WrappedKey, createdAtMs: number): Promise<'added' | 'taken' | 'shredded'>;
  get(name: KeyName): Promise<WrappedKey | null>;
  /** Permanently destroys an owner's keys of all epochs, if there are any. */
  shred(ownerId: string, atMs: number): Promise<void>;
  /** Replaces a key that was read; never restores a deleted one. @returns false when the stored key has changed */
  replace(name: KeyName, from: WrappedKey, to: WrappedKey): Promise<boolean>;
  /** Keys ordered by owner and epoch, starting after `after`. */
  page(after: KeyName | null, limit: number): Promise<StoredKey[]>;
  /** Number of keys that each KEK wraps; KEKs without keys are absent. */
  countByKek(): Promise<ReadonlyMap<string, number>>;
  /**
   * Records that the deployment uses a KEK, unless KEKs are recorded and none of them is in `known`.
   * @returns the recorded ids, in no particular order
   */
  rememberKek(kekId: string, seenAtMs: number, known: readonly string[]): Promise<string[]>;
}
