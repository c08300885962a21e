import { createHmac } from 'node:crypto';
import { join } from 'node:path';
import { readOrCreatePrivateFile, readPrivateFile } from '@svc/durable-fs';
import type { Random } from '../platform/ports.ts';
import { encodeContext, openBox, sealBox } from './sealed-box.ts';

/** A key as stored in the key store, with the id of the KEK that wrapped it. */
export interface WrappedKey {
  readonly kekId: string;
  readonly bytes: Uint8Array;
}

/**
 * The only place that uses key-encryption keys (KEKs). Both calls are asynchronous, so that a KMS can implement them. A
 * wrapped key is bound to its context and unwraps under no other.
 */
export interface KeyEncryption {
  /** Ids of the available KEKs; the first one wraps. */
  readonly kekIds: readonly [string, ...string[]];
  wrap(key: Uint8Array, context: readonly string[]): Promise<WrappedKey>;
  /**
   * The caller wipes the answer.
   * @throws KeyEncryptionError when the KEK is not available or did not wrap these bytes under this context
   */
  unwrap(wrapped: WrappedKey, context: readonly string[]): Promise<Uint8Array>;
}

export class KeyEncryptionError extends Error {}

const KEK_BYTES = 32;

/** Derived from the key, so that two keys never share an id; reveals nothing about the key. */
export function kekIdOf(kek: Uint8Array): string {
  return createHmac('sha256', kek).update('svc/kek-id/v1').digest('hex').slice(0, 16);
}

/**
 * Parses KEKs: one per line, 32 bytes in base64; the first wraps, the others only unwrap. Empty lines and lines that
 * begin with # are skipped.
 * @throws KeyEncryptionError when a line is invalid or there is no key; the text is not echoed
 */
export function parseKeks(text: string): [Uint8Array, ...Uint8Array[]] {
  const keks: Uint8Array[] = [];
  for (const [index, raw] of text.split(/\r?\n/).entries()) {
    const line = raw.trim();
    if (line === '' || line.startsWith('#')) continue;
    const kek = Buffer.from(line, 'base64');
    if (kek.length !== KEK_BYTES || kek.toString('base64').replace(/=+$/, '') !== line.replace(/=+$/, '')) {
      throw new KeyEncryptionError(`key-encryption keys: line ${index + 1} is not 32 bytes in base64`);
    }
    keks.push(new Uint8Array(kek));
  }
  const [first, ...rest] = keks;
  if (first === undefined) throw new KeyEncryptionError('key-encryption keys: none found');
  return [first, ...rest];
}

/** KEKs in this process's memory, from a file or the environment. */
export function createLocalKeyEncryption(random: Random, keks: readonly [Uint8Array, ...Uint8Array[]]): KeyEncryption {
  const [current] = keks;
  const currentId = kekIdOf(current);
  const byId = new Map(keks.map((kek) => [kekIdOf(kek), kek]));
  return {
    kekIds: [currentId, ...[...byId.keys()].filter((id) => id !== currentId)],
    wrap: (key, context) =>
      Promise.resolve({
        kekId: currentId,
        bytes: sealBox(random, current, key, encodeContext('svc/wrap/v1', currentId, ...context)),
      }),
    async unwrap(wrapped, context) {
      const kek = byId.get(wrapped.kekId);
      if (kek === undefined) throw new KeyEncryptionError(`key-encryption key ${wrapped.kekId} is not at hand`);
      const key = openBox(kek, wrapped.bytes, encodeContext('svc/wrap/v1', wrapped.kekId, ...context));
      if (key === null) throw new KeyEncryptionError('a wrapped key does not open');
      return key;
    },
  };
}

/**
 * The deployment's KEKs: from an environment variable, else from a configured file, else from `kek` in the data
 * directory, which the first start creates, so that development needs no configuration.
 * @throws KeyEncryptionError when a configured file is missing or holds no valid keys
 */
export async function openKeyEncryption(o: {
  readonly random: Random;
  readonly dataDirectory: string;
  readonly kek?: string | undefined;
  readonly kekFile?: string | undefined;
}): Promise<KeyEncryption> {
  return createLocalKeyEncryption(o.random, parseKeks(await readKeks(o)));
}

async function readKeks(o: Parameters<typeof openKeyEncryption>[0]): Promise<string> {
  if (o.kek !== undefined) return o.kek.replaceAll(',', '\n');
  if (o.kekFile !== undefined) {
    const text = await readPrivateFile(o.kekFile);
    if (text === null) throw new KeyEncryptionError('the file of SVC_KEK_FILE does not exist');
    return text;
  }
  return readOrCreatePrivateFile(
    join(o.dataDirectory, 'kek'),
    () => `${Buffer.from(o.random.bytes(32)).toString('base64')}\n`,
  );
}
