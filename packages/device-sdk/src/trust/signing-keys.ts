import { fromBase64Url, toBase64Url } from '../bytes.ts';
import { signingKeyId } from '../region.ts';
import type { AnnouncedKeys } from './trust-state.ts';

/** Raw Ed25519 public keys by id. */
type KeysById = ReadonlyMap<string, Uint8Array>;

const textsOf = (keys: KeysById): string[] => [...keys.values()].map(toBase64Url).sort();

const isSame = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((text, i) => text === b[i]);

/**
 * Keys that may sign answers: those that the service announced last, so that a device follows a key change; or the
 * configured ones, before the first sync and if the configuration has changed since.
 */
export function trustedSigningKeys(configured: KeysById, known: AnnouncedKeys | undefined): KeysById {
  if (known === undefined || !isSame(known.configured, textsOf(configured))) return configured;
  const keys = known.announced.map((text) => fromBase64Url(text) ?? new Uint8Array());
  return new Map(keys.map((key) => [signingKeyId(key), key]));
}

/**
 * Keys to trust after an authentic answer.
 * @param announced keys in the answer, base64url; absent from an older service
 * @param signedBy id of the key that signed the answer: an announcement that drops it would lock the device out, and is
 *   ignored
 */
export function followSigningKeys(
  configured: KeysById,
  announced: readonly string[] | undefined,
  signedBy: string,
): AnnouncedKeys | undefined {
  if (announced === undefined) return undefined;
  const ids = announced.map((text) => signingKeyId(fromBase64Url(text) ?? new Uint8Array()));
  if (!ids.includes(signedBy)) return undefined;
  return { configured: textsOf(configured), announced: [...announced] };
}
