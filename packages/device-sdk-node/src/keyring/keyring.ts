import { FaceError, secretCopy } from '@svc/core';

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
