import type { KeyStore } from '@svc/device-sdk';
import { createStoredKeyStore } from '../keys/stored-key-store.ts';
import { type Keyring, openSystemKeyring } from './keyring.ts';
import { KeyringPlace } from './keyring-place.ts';

export interface KeyringKeyStoreOptions {
  /** Keeps devices of one user apart: one device, one service. */
  readonly service: string;
  /** For tests, and keyrings that `@napi-rs/keyring` does not know. Left out: the system's. */
  readonly keyring?: Keyring;
}

/**
 * Keys in the system's keyring, which encrypts them under the user's login and, where the machine can, its hardware.
 * Programs of the same user can ask for them too, on Linux and Windows without a question to anybody.
 * @throws FaceError `storage-failed` where there is no keyring or it is locked
 */
export async function createKeyringKeyStore({ service, keyring }: KeyringKeyStoreOptions): Promise<KeyStore> {
  const opened = keyring ?? (await openSystemKeyring(service));
  return createStoredKeyStore(new KeyringPlace(opened, 'keys/'), new KeyringPlace(opened, 'secrets/'));
}
