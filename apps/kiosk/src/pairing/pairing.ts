import type { RegionSettings } from '@svc/device-sdk';
import { isSecret, secretPrefixOf } from '@svc/protocol';

/** Why a text is no device token. */
export type TokenProblem = 'not-a-token' | 'another-secret';

/**
 * The device token in what was typed, pasted or scanned: blanks around it, and line breaks that a terminal put into it,
 * are not part of it. The checksum in the token catches what was mistyped before anything is asked of the service.
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
 * base64url) and, where the page is not served by the API itself, its `baseUrl`. The keys may come from where the page
 * does: whoever could change them there could change the page as well.
 * @param page address of the page's folder
 * @throws Error when it can't be read
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

/** What makes this browser a device of one list. */
export interface Pairing {
  /** `svcd_…` */
  readonly deviceToken: string;
  /**
   * Address and signing keys of the deployment that the token belongs to, as they were when the kiosk was paired: from
   * there on the device follows the keys by what it is told under them, whatever the page says.
   */
  readonly region: RegionSettings;
  /** The operator said that staff watch every attempt, since this kiosk has no passive check. */
  readonly staffInView: boolean;
}
