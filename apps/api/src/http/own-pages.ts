import { createHmac, timingSafeEqual } from 'node:crypto';
import { CSRF_HEADER } from '@svc/protocol';
import type { Request } from 'express';
import { ServiceError } from '../platform/errors.ts';

/** The CSRF token of a session: follows from its secret, so that nothing has to be stored. */
export const csrfTokenOf = (secret: string): string => createHmac('sha256', secret).update('csrf').digest('base64url');

/** Whether a method changes nothing (RFC 9110 section 9.2.1). */
const isSafe = ({ method }: Request) => method === 'GET' || method === 'HEAD';

/**
 * Refuses what a page of another origin sends, as far as the browser tells: `Origin` and `Sec-Fetch-Site` cannot be set
 * by a page.
 * @param origin of the dashboard; null where its address is not known
 * @throws ServiceError 'foreign-page'
 */
export function refuseForeignPage(request: Request, origin: string | null): void {
  if (isSafe(request)) return;
  const said = request.get('origin');
  const site = request.get('sec-fetch-site');
  if ((said !== undefined && said !== origin) || (site !== undefined && site !== 'same-origin')) {
    throw new ServiceError('foreign-page');
  }
}

/**
 * Refuses a change in the name of a signed-in person that does not prove to come from the dashboard.
 * @throws ServiceError 'foreign-page' or 'csrf-token-invalid'
 */
export function refuseForgery(request: Request, origin: string | null, secret: string): void {
  if (isSafe(request)) return;
  refuseForeignPage(request, origin);
  const given = Buffer.from(request.get(CSRF_HEADER) ?? '');
  const expected = Buffer.from(csrfTokenOf(secret));
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) {
    throw new ServiceError('csrf-token-invalid');
  }
}
