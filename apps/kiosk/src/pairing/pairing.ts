import type { RegionSettings } from '@svc/device-sdk';
import { isSecret, parseUrl, secretPrefixOf } from '@svc/protocol';

/** Why a text is not a device token, nor a link with one. */
export type TokenProblem = 'not-a-token' | 'another-secret' | 'another-page';

/** The names of one machine for itself: a link made for one of them may be opened under another. */
const isLoopback = (hostname: string): boolean => ['localhost', '127.0.0.1', '[::1]'].includes(hostname);

function isSamePage(link: URL, page: URL | null): boolean {
  if (page === null) return false;
  if (link.origin === page.origin) return true;
  const isLocal = isLoopback(link.hostname) && isLoopback(page.hostname);
  return isLocal && link.protocol === page.protocol && link.port === page.port;
}

/**
 * The device token in a typed, pasted or scanned text: the token itself, without surrounding blanks and line breaks, or
 * a link to this page with the token in its fragment. The token's checksum detects typing errors before the service is
 * asked.
 * @param page address of this page: a token in another page's link would be of another deployment
 */
export function readDeviceToken(
  text: string,
  page: string,
): { readonly ok: true; readonly token: string } | { readonly ok: false; readonly problem: TokenProblem } {
  const entered = text.replace(/\s+/g, '');
  const link = /^https?:/i.test(entered) ? parseUrl(entered) : null;
  if (link !== null && !isSamePage(link, parseUrl(page))) {
    return { ok: false, problem: 'another-page' };
  }
  const token = link === null ? entered : link.hash.slice(1);
  if (isSecret('svcd', token)) return { ok: true, token };
  const prefix = secretPrefixOf(token);
  return { ok: false, problem: prefix === null || prefix === 'svcd' ? 'not-a-token' : 'another-secret' };
}

/**
 * Takes a secret out of this page's address, where a pairing link has put it, so that neither the address bar nor a
 * reload shows it.
 * @returns null if the address has none
 */
export function takeFromAddress(): string | null {
  const text = location.hash.slice(1);
  if (secretPrefixOf(text) === null) return null;
  history.replaceState(history.state, '', location.pathname + location.search);
  return text;
}

/** SHA-256 of a device token, in hex: recognises the token later without storing it. */
export async function hashOfToken(deviceToken: string): Promise<string> {
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(deviceToken));
  return Array.from(new Uint8Array(hash), (byte) => byte.toString(16).padStart(2, '0')).join('');
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
  /** False until the operator has seen whose list it is and said yes. Absent: paired before that was asked. */
  readonly confirmed?: boolean;
}
