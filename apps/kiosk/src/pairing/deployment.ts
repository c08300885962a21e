import type { RegionSettings } from '@svc/device-sdk';

const TIMEOUT_MS = 4_000;

const isTextList = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === 'string');

/**
 * The deployment that serves this page: `deployment.json` beside it has `signingKeys` (raw Ed25519 public keys, base64url) and, where the
 * page is not served by the API itself, its `baseUrl`. The keys may come from where the page does: whoever could change them there could
 * change the page as well.
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
