import type { KeyStore } from '@svc/device-sdk';
import { createStoredKeyStore } from '../keys/stored-key-store.ts';
import { type Keyring, openSystemKeyring } from './keyring.ts';
import { KeyringPlace } from './keyring-place.ts';

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
