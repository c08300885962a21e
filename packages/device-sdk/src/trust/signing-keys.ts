import { fromBase64Url, toBase64Url } from '../bytes.ts';
import { signingKeyId } from '../region.ts';
import type { AnnouncedKeys } from './trust-state.ts';

/** Raw Ed25519 public keys by their id. */
type KeysById = ReadonlyMap<string, Uint8Array>;

const textsOf = (keys: KeysById): string[] => [...keys.values()].map(toBase64Url).sort();

const isSame = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((text, i) => text === b[i]);

/**
 * The keys that answers may be signed by: those that the service told of last, so that a device follows when they
 * change over; or the configured ones, before the first sync and when the configuration has others than at that time.
 */
export function trustedSigningKeys(configured: KeysById, known: AnnouncedKeys | undefined): KeysById {
  if (known === undefined || !isSame(known.configured, textsOf(configured))) return configured;
  const keys = known.announced.map((text) => fromBase64Url(text) ?? new Uint8Array());
  return new Map(keys.map((key) => [signingKeyId(key), key]));
}

/**
 * What to trust from an authentic answer on.
 * @param announced what the answer tells, base64url; absent where the service is of an earlier edition
 * @param signedBy id of the key that the answer is signed by: whoever told to drop it would lock the device out, and is
 * not followed
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
