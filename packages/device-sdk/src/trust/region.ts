import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { FaceError } from '@svc/core';
import { fromBase64Url, toBase64Url } from '../platform/bytes.ts';
import type { AnnouncedKeys } from './trust-state.ts';

/** The account's region: a name known to this build, or a deployment's own address and keys (`svc region show`). */
export type Region = RegionName | RegionSettings;

export interface ResolvedRegion {
  /** Without trailing slash. */
  readonly baseUrl: string;
  /** Raw Ed25519 public keys by id: the first 16 hex digits of the key's SHA-256. */
  readonly signingKeys: ReadonlyMap<string, Uint8Array>;
}

export function signingKeyId(publicKey: Uint8Array): string {
  return bytesToHex(sha256(publicKey)).slice(0, 16);
}

/**
 * @throws FaceError `configuration-invalid` for a region without keys in this build, an address that is not https (http
 *   is allowed on the loopback interface) or holds a user, a query or a fragment, or invalid keys
 */
export function resolveRegion(region: Region, known = pinnedRegions): ResolvedRegion {
  const settings = typeof region === 'string' ? known[region] : region;
  if (settings === undefined) throw invalid('this build of the SDK has no pinned keys for that region');
  const signingKeys = new Map<string, Uint8Array>();
  for (const text of settings.signingKeys) {
    const key = typeof text === 'string' ? fromBase64Url(text) : null;
    if (key === null || key.length !== 32) throw invalid('a signing key is not 32 bytes in base64url');
    signingKeys.set(signingKeyId(key), key);
  }
  if (signingKeys.size === 0) throw invalid('a region needs a signing key');
  return { baseUrl: checkedBaseUrl(settings.baseUrl), signingKeys };
}

function checkedBaseUrl(text: string): string {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    // Its cause would repeat the address, which may hold a password.
    throw invalid('the base address is no URL');
  }
  const loopback = ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname);
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && loopback))
    throw invalid('the base address is not https');
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw invalid('the base address holds a user, a password, a query or a fragment');
  }
  return url.href.replace(/\/+$/, '');
}

function invalid(message: string): FaceError {
  return new FaceError('configuration-invalid', message);
}

export type RegionName = 'EU' | 'US';

/** Where a deployment is, and whose answers its devices trust. */
export interface RegionSettings {
  /** An https URL. */
  readonly baseUrl: string;
  /** Raw Ed25519 public keys, base64url without padding: the current one and the next. */
  readonly signingKeys: readonly string[];
}

/** Defined by the bundler of a release from the file in SVC_PINNED_REGIONS; undefined in sources and plain builds. */
declare const __SVC_PINNED_REGIONS__: Readonly<Partial<Record<RegionName, RegionSettings>>> | undefined;

/**
 * Trusted keys of the named regions. They are constants of a build, not settings: changing them at run time would allow
 * forged packs. A build without them rejects the names; a deployment's own address and keys always work.
 */
export const pinnedRegions: Readonly<Partial<Record<RegionName, RegionSettings>>> =
  typeof __SVC_PINNED_REGIONS__ === 'undefined' ? {} : __SVC_PINNED_REGIONS__;

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
