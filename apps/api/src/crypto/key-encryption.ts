import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { readOrCreatePrivateFile, readPrivateFile } from '@svc/durable-fs';
import type { Random } from '../platform/ports.ts';
import { createLocalKek, createRemoteKek, type Kek, KeyEncryptionError, type WrappedKey } from './kek.ts';
import { openPkcs11Kek, type Pkcs11Key, parsePkcs11Uri } from './pkcs11.ts';
import { openTransitKek, parseTransitUrl } from './transit.ts';

/** The only place that uses key-encryption keys (KEKs). A wrapped key is bound to its context and unwraps under no other. */
export interface KeyEncryption {
  /** Ids of the available KEKs; the first one wraps. */
  readonly kekIds: readonly [string, ...string[]];
  /** @throws KeyEncryptionUnavailableError; here and below */
  wrap(key: Uint8Array, context: readonly string[]): Promise<WrappedKey>;
  /**
   * The caller wipes the answer.
   * @throws KeyEncryptionError when the KEK is not available or did not wrap these bytes under this context
   */
  unwrap(wrapped: WrappedKey, context: readonly string[]): Promise<Uint8Array>;
  /** Whether the KEK that wraps can be used now. Never throws. */
  answers(): Promise<boolean>;
  close(): Promise<void>;
}

const KEK_BYTES = 32;

/** A KEK, or where it lies; null for anything else. */
function parseKek(line: string): Uint8Array | Pkcs11Key | URL | null {
  if (line.startsWith('pkcs11:')) return parsePkcs11Uri(line);
  if (line.startsWith('http')) return parseTransitUrl(line);
  const kek = Buffer.from(line, 'base64');
  const isWhole = kek.length === KEK_BYTES && kek.toString('base64').replace(/=+$/, '') === line.replace(/=+$/, '');
  return isWhole ? new Uint8Array(kek) : null;
}

/**
 * Parses KEKs, one per line: 32 bytes in base64, or the address of a key in an HSM or a vault. The first wraps, the others
 * only unwrap. Empty lines and lines that begin with # are skipped.
 * @throws KeyEncryptionError when a line is invalid or there is no key; the text is not echoed
 */
export function parseKeks(text: string) {
  const keks = text.split(/\r?\n/).flatMap((raw, index) => {
    const line = raw.trim();
    if (line === '' || line.startsWith('#')) return [];
    const kek = parseKek(line);
    const lacks = 'is neither 32 bytes in base64 nor the address of a key';
    if (kek === null) throw new KeyEncryptionError(`key-encryption keys: line ${index + 1} ${lacks}`);
    return [kek];
  });
  if (keks.length === 0) throw new KeyEncryptionError('key-encryption keys: none found');
  // The same line twice is one key.
  return keks.filter((kek, i) => keks.findIndex((other) => isDeepStrictEqual(other, kek)) === i);
}

const TWICE =
  'two lines name one key-encryption key, or keys of one path in two vaults: give the other vault’s key another name';

/** @param keks at least one, of different ids: the first wraps, any unwraps. @throws KeyEncryptionError */
export function createKeyEncryption(keks: readonly Kek[]): KeyEncryption {
  const current = keks[0] as Kek;
  // What one of them wrapped, the other would be asked to open.
  if (new Set(keks.map(({ id }) => id)).size < keks.length) throw new KeyEncryptionError(TWICE);
  const byId = new Map(keks.map((kek) => [kek.id, kek]));
  return {
    kekIds: [current.id, ...[...byId.keys()].filter((id) => id !== current.id)],
    wrap: async (key, context) => ({ kekId: current.id, bytes: await current.wrap(key, context) }),
    async unwrap({ kekId, bytes }, context) {
      const kek = byId.get(kekId);
      if (kek === undefined) throw new KeyEncryptionError(`key-encryption key ${kekId} is missing`);
      return kek.unwrap(bytes, context);
    },
    answers: async () => (await Promise.allSettled([current.check()]))[0].status === 'fulfilled',
    close: async () => void (await Promise.all(keks.map((kek) => kek.close()))),
  };
}

/** KEKs in this process's memory, from a file or the environment. */
export const createLocalKeyEncryption = (random: Random, keks: readonly [Uint8Array, ...Uint8Array[]]): KeyEncryption =>
  createKeyEncryption(keks.map((kek) => createLocalKek(random, kek)));

interface KeySettings {
  readonly random: Random;
  readonly dataDirectory: string;
  readonly kek?: string | undefined;
  readonly kekFile?: string | undefined;
  readonly vaultTokenFile?: string | undefined;
}

async function openKek(o: KeySettings, source: Uint8Array | Pkcs11Key | URL): Promise<Kek> {
  if (source instanceof Uint8Array) return createLocalKek(o.random, source);
  const remote = await (source instanceof URL
    ? openTransitKek(source, o.vaultTokenFile)
    : openPkcs11Kek(o.random, source));
  return createRemoteKek(o.random, remote);
}

/**
 * The deployment's KEKs: from an environment variable, else from a configured file, else from `kek` in the data
 * directory, which the first start creates, so that development needs no configuration.
 * @throws KeyEncryptionError when a configured file is missing or holds no valid keys, or an HSM or a vault has no such key
 */
export async function openKeyEncryption(o: KeySettings): Promise<KeyEncryption> {
  const keks: Kek[] = [];
  try {
    for (const source of parseKeks(await readKeks(o))) keks.push(await openKek(o, source));
    return createKeyEncryption(keks);
  } catch (error) {
    for (const kek of keks) await kek.close();
    throw error;
  }
}

async function readKeks(o: KeySettings): Promise<string> {
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
