import { createHmac } from 'node:crypto';
import { readPrivateFile } from '@svc/durable-fs';
import type { Random } from '../platform/ports.ts';
import { encodeContext, openBox, sealBox } from './sealed-box.ts';

/** A key as stored in the key store, with the id of the KEK that wrapped it. */
export interface WrappedKey {
  readonly kekId: string;
  readonly bytes: Uint8Array;
}

export class KeyEncryptionError extends Error {}

/** The HSM or vault that holds a KEK does not do its work now. @param code for the log: of the system, HTTP or PKCS#11 */
export class KeyEncryptionUnavailableError extends KeyEncryptionError {
  override readonly name = 'KeyEncryptionUnavailableError';

  constructor(
    message: string,
    readonly code: string,
  ) {
    super(message);
  }
}

/** What a file holds that an agent may replace at any time. @throws KeyEncryptionUnavailableError, also where it is empty */
export async function readSecret(path: string, what: string): Promise<string> {
  const text = await readPrivateFile(path).catch((error: unknown) => {
    throw new KeyEncryptionUnavailableError(`${what} cannot be read`, String(Object(error).code ?? 'unreadable'));
  });
  if (text === null || text.trim() === '') throw new KeyEncryptionUnavailableError(`${what} is not there`, 'no-secret');
  return text;
}

/** A key-encryption key (KEK). Errors are those of KeyEncryption. */
export interface Kek {
  readonly id: string;
  wrap(key: Uint8Array, context: readonly string[]): Promise<Uint8Array>;
  unwrap(wrapped: Uint8Array, context: readonly string[]): Promise<Uint8Array>;
  /** Looks whether it can be used. */
  check(): Promise<void>;
  close(): Promise<void>;
}

/** A KEK in an HSM or a vault. It makes a key for each box, and finds it again by a reference of up to 255 bytes. */
export interface RemoteKek extends Pick<Kek, 'id' | 'check' | 'close'> {
  /** The caller wipes the key (32 bytes). */
  newKey(): Promise<{ readonly key: Uint8Array; readonly reference: Uint8Array }>;
  /** The caller wipes the answer (32 bytes). */
  findKey(reference: Uint8Array): Promise<Uint8Array>;
}

/** What a KEK's id is the HMAC of. */
export const KEK_ID = Buffer.from('svc/kek-id/v1');
export const kekIdFrom = (mac: Uint8Array): string => Buffer.from(mac).toString('hex', 0, 8);

/** Derived from the key, so that two keys never share an id; reveals nothing about the key. */
export function kekIdOf(kek: Uint8Array): string {
  return kekIdFrom(createHmac('sha256', kek).update(KEK_ID).digest());
}

type Context = readonly string[];
const encode = (kekId: string, context: Context) => encodeContext('svc/wrap/v1', kekId, ...context);

function open(key: Uint8Array, box: Uint8Array, kekId: string, context: Context): Uint8Array {
  const opened = openBox(key, box, encode(kekId, context));
  if (opened === null) throw new KeyEncryptionError('a wrapped key cannot be opened');
  return opened;
}

/** A KEK in this process's memory. @param kek 32 bytes */
export function createLocalKek(random: Random, kek: Uint8Array): Kek {
  const id = kekIdOf(kek);
  return {
    id,
    wrap: async (key, context) => sealBox(random, kek, key, encode(id, context)),
    unwrap: async (wrapped, context) => open(kek, wrapped, id, context),
    check: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
}

const RETRY_MS = 1_000;

/** Seals by keys of a remote KEK: length of the reference (u8) ‖ reference ‖ box, which alone binds the context. */
export function createRemoteKek(random: Random, remote: RemoteKek): Kek {
  let away: KeyEncryptionUnavailableError | null = null;
  let retryAtMs = 0;
  /** While the other side is away, one call a second tries it and the others fail at once: nothing queues up. */
  async function call<T>(work: () => Promise<T>): Promise<T> {
    if (away !== null && performance.now() < retryAtMs) throw away;
    retryAtMs = performance.now() + RETRY_MS;
    try {
      const result = await work();
      away = null;
      return result;
    } catch (error) {
      away = error instanceof KeyEncryptionUnavailableError ? error : null;
      throw error;
    }
  }
  const { id } = remote;
  return {
    id,
    async wrap(key, context) {
      const { key: boxKey, reference } = await call(remote.newKey);
      const box = sealBox(random, boxKey, key, encode(id, context));
      boxKey.fill(0);
      return Buffer.concat([Buffer.of(reference.length), reference, box]);
    },
    async unwrap(wrapped, context) {
      const end = 1 + (wrapped[0] ?? 0);
      const boxKey = await call(() => remote.findKey(wrapped.subarray(1, end)));
      try {
        return open(boxKey, wrapped.subarray(end), id, context);
      } finally {
        boxKey.fill(0);
      }
    },
    check: () => call(remote.check),
    close: remote.close,
  };
}
