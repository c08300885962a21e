import { FaceError } from '@svc/core';
import type { SecretPlace } from '../keys/stored-key-store.ts';
import type { Keyring } from './keyring.ts';

/** Not a valid name of a secret. */
const INDEX = '.index';

/**
 * A part of a keyring under a prefix. Not every keyring lists its entries, so the names are an entry of their own. A
 * name is added before its secret is written and removed after the secret is deleted, so a crash leaves a spare name at
 * worst.
 */
export class KeyringPlace implements SecretPlace {
  readonly #keyring: Keyring;
  readonly #prefix: string;
  /** Serialises changes: each reads the index and writes it. */
  #queue: Promise<unknown> = Promise.resolve();

  constructor(keyring: Keyring, prefix: string) {
    this.#keyring = keyring;
    this.#prefix = prefix;
  }

  read(name: string): Promise<Uint8Array | null> {
    return inKeyring(() => this.#keyring.read(this.#prefix + name));
  }

  write(name: string, secret: Uint8Array): Promise<void> {
    return this.#change(async (known) => {
      if (!known.includes(name)) await this.#index([...known, name]);
      await this.#keyring.write(this.#prefix + name, secret);
    });
  }

  delete(name: string): Promise<void> {
    return this.#change(async (known) => {
      await this.#keyring.delete(this.#prefix + name);
      if ((await this.#holds(name)) === true) {
        throw new FaceError('storage-failed', 'a key survived its deletion', { retryable: true });
      }
      if (known.includes(name)) await this.#index(known.filter((other) => other !== name));
    });
  }

  names(): Promise<readonly string[]> {
    return inKeyring(async () => {
      const there: string[] = [];
      for (const name of await this.#known()) if (await this.#holds(name)) there.push(name);
      return there;
    });
  }

  #change(action: (known: readonly string[]) => Promise<void>): Promise<void> {
    const done = this.#queue.then(() => inKeyring(async () => action(await this.#known())));
    this.#queue = done.catch(() => undefined);
    return done;
  }

  async #holds(name: string): Promise<boolean> {
    const secret = await this.#keyring.read(this.#prefix + name);
    secret?.fill(0);
    return secret !== null;
  }

  async #known(): Promise<readonly string[]> {
    const bytes = await this.#keyring.read(this.#prefix + INDEX);
    if (bytes === null || bytes.length === 0) return [];
    return new TextDecoder().decode(bytes).split('\n');
  }

  #index(names: readonly string[]): Promise<void> {
    return this.#keyring.write(this.#prefix + INDEX, new TextEncoder().encode(names.join('\n')));
  }
}

async function inKeyring<T>(action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (cause) {
    if (FaceError.is(cause)) throw cause;
    throw new FaceError('storage-failed', 'the system’s keyring failed', { cause, retryable: true });
  }
}
