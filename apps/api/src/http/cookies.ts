import type { Request, Response } from 'express';

/** Most cookies of a request that are looked at. */
const MOST = 100;

/**
 * A cookie's value; undefined for none. Two of one name are an attempt to plant one: browsers send them in an order that
 * says nothing, so neither counts.
 */
export function cookieOf(request: Request, name: string): string | undefined {
  const parts = request.headers.cookie?.split(';', MOST) ?? [];
  const values = parts.flatMap((part) => {
    const [key = '', ...value] = part.trim().split('=');
    return key === name ? [value.join('=')] : [];
  });
  return values.length === 1 ? values[0] : undefined;
}

/**
 * Sets a cookie that this host alone gets, over TLS or on this machine, and no script reads.
 * @param name with the prefix `__Host-`, by which browsers hold a cookie to just that
 */
export function setCookie(response: Response, name: `__Host-${string}`, value: string, maxAgeMs: number): void {
  response.append(
    'Set-Cookie',
    `${name}=${value}; Path=/; Max-Age=${Math.floor(maxAgeMs / 1_000)}; Secure; HttpOnly; SameSite=Lax`,
  );
}

export function clearCookie(response: Response, name: `__Host-${string}`): void {
  setCookie(response, name, '', 0);
}
