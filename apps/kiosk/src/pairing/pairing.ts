import type { RegionSettings } from '@svc/device-sdk';
import { isSecret, secretPrefixOf } from '@svc/protocol';

/** Why a text is not a device token. */
export type TokenProblem = 'not-a-token' | 'another-secret';

/**
 * The device token in a typed, pasted or scanned text, without surrounding blanks and line breaks. The token's checksum
 * detects typing errors before the service is asked.
 */
export function readDeviceToken(
  text: string,
): { readonly ok: true; readonly token: string } | { readonly ok: false; readonly problem: TokenProblem } {
  const token = text.replace(/\s+/g, '');
  if (isSecret('svcd', token)) return { ok: true, token };
  const prefix = secretPrefixOf(token);
  return { ok: false, problem: prefix === null || prefix === 'svcd' ? 'not-a-token' : 'another-secret' };
}

const TIMEOUT_MS = 4_000;

const isTextList = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === 'string');

/**
 * The deployment that serves this page: `deployment.json` beside it has `signingKeys` (raw Ed25519 public keys,
 * base64url) and, if the page is not served by the API itself, `baseUrl`. The keys can come from the page's server,
 * because whoever can change them there can change the page too.
 * @param page address of the page's folder
 * @throws Error if it can't be read
 */
export async function readDeployment(page: URL): Promise<RegionSettings> {
  const response = await fetch(new URL('deployment.json', page), {
    cache: 'no-store',
    redirect: 'error',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  if (!response.ok) throw new Error('no deployment');
  const value: unknown = await response.json();
  if (typeof value !== 'object' || value === null) throw new Error('no deployment');
  const { signingKeys, baseUrl = '..' } = value as { readonly signingKeys?: unknown; readonly baseUrl?: unknown };
  if (!isTextList(signingKeys) || typeof baseUrl !== 'string') throw new Error('no deployment');
  return { baseUrl: new URL(baseUrl, page).href, signingKeys };
}

/** Data that makes this browser a device of one list. */
export interface Pairing {
  /** `svcd_…` */
  readonly deviceToken: string;
  /**
   * Address and signing keys of the token's deployment at pairing. Later keys must be signed by earlier ones, whatever
   * the page says.
   */
  readonly region: RegionSettings;
  /** The operator declared that staff watch every attempt, because this kiosk has no passive check. */
  readonly staffInView: boolean;
}
