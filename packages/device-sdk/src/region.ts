import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { FaceError } from '@svc/core';
import { fromBase64Url } from './bytes.ts';
import { pinnedRegions, type RegionName, type RegionSettings } from './pinned-regions.ts';

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
 *   is allowed on the loopback interface), or invalid keys
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
  } catch (cause) {
    throw invalid('the base address is no URL', cause);
  }
  const loopback = ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname);
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && loopback))
    throw invalid('the base address is not https');
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw invalid('the base address is more than an address');
  }
  return url.href.replace(/\/+$/, '');
}

function invalid(message: string, cause?: unknown): FaceError {
  return new FaceError('configuration-invalid', message, { cause });
}
