import { FaceError, secretCopy } from '@svc/core';
import type { KeyStore } from '@svc/device-sdk';
import { createStoredKeyStore, type SecretPlace } from '../keys/stored-key-store.ts';

/** A system's keyring. Rejects while it is locked or missing. */
export interface Keyring {
  /** Owned by the caller; null if there is none. */
  read(name: string): Promise<Uint8Array | null>;
  write(name: string, secret: Uint8Array): Promise<void>;
  /** Idempotent. */
  delete(name: string): Promise<void>;
}

/** Never written: reading it shows whether there is a keyring. */
const PROBE = 'probe';

/**
 * The Keychain of macOS, the Credential Manager of Windows, the Secret Service of Linux (GNOME Keyring, KWallet,
 * KeePassXC). The Linux kernel's own keyring is not used: it is lost at a restart.
 * @param service separates devices
 * @throws FaceError `storage-failed` without a keyring or the optional package `@napi-rs/keyring`
 */
export async function openSystemKeyring(service: string): Promise<Keyring> {
  const { AsyncEntry } = await import('@napi-rs/keyring').catch((cause: unknown) => {
    throw unavailable('the package @napi-rs/keyring is not installed for this system', cause);
  });
  const entry = (name: string) => new AsyncEntry(service, name, { linux: { store: 'secret-service' } });
  const keyring: Keyring = {
    async read(name) {
      const secret = await entry(name).getSecret();
      if (secret === null) return null;
      const copy = secretCopy(secret);
      secret.fill(0);
      return copy;
    },
    write: (name, secret) => entry(name).setSecret(secret),
    async delete(name) {
      await entry(name).deleteCredential();
    },
  };
  await keyring.read(PROBE).catch((cause: unknown) => {
    throw unavailable('this system has no keyring, or it is locked', cause);
  });
  return keyring;
}

function unavailable(message: string, cause: unknown): FaceError {
  return new FaceError('storage-failed', message, { cause, retryable: true });
}

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

/** Options of {@link createKeyringKeyStore}. */
export interface KeyringKeyStoreOptions {
  /** Name that separates the devices of one OS user; unique per device. */
  readonly service: string;
  /** For tests, and keyrings that `@napi-rs/keyring` does not support. Default: the system's. */
  readonly keyring?: Keyring;
}

/**
 * Keys in the system's keyring, which encrypts them under the user's login and, if supported, its hardware. Other
 * programs of the same user can read them; on Linux and Windows without a prompt.
 * @throws FaceError `storage-failed` if there is no keyring or it is locked
 */
export async function createKeyringKeyStore({ service, keyring }: KeyringKeyStoreOptions): Promise<KeyStore> {
  const opened = keyring ?? (await openSystemKeyring(service));
  return createStoredKeyStore(new KeyringPlace(opened, 'keys/'), new KeyringPlace(opened, 'secrets/'));
}
