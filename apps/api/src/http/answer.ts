import type { Request, RequestHandler, Response } from 'express';

/** The answer to a POST, before it is sent. */
export interface Answer {
  readonly status: 200 | 201 | 202 | 204 | 303;
  /** `Location` */
  readonly location?: string;
  /** JSON; absent for 204. */
  readonly body?: object;
  /** Set when the answer contains a secret that is shown once: only this resource id is stored for repeats. */
  readonly secretOf?: string;
  /** The person in the answer: the stored copy is erased with the person. */
  readonly about?: { readonly listId: string; readonly personId: string };
}

export function sendAnswer(response: Response, { status, location, body }: Answer): void {
  response.status(status);
  if (location !== undefined) response.setHeader('Location', location);
  if (body === undefined) response.end();
  else response.json(body);
}

/** Whether the caller has the form with this `ETag`, by `If-None-Match` compared weakly (RFC 9110 section 13.1.2). */
export function hasForm(request: Request, etag: string): boolean {
  const known = request.headers['if-none-match']?.split(',').map((tag) => tag.trim()) ?? [];
  return ['*', etag, `W/${etag}`].some((tag) => known.includes(tag));
}

/** Aborted when the client disconnects before the answer was sent, so that work for it can stop. */
export function clientGone(response: Response): AbortSignal {
  const controller = new AbortController();
  if (response.closed) controller.abort();
  else response.once('close', () => response.writableFinished || controller.abort());
  return controller.signal;
}

/**
 * The API answers with data: never a page, never cached, sniffed or embedded. Routes with pages replace some of these.
 */
export const SECURITY_HEADERS = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'Strict-Transport-Security': 'max-age=31536000; includeSubDomains',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
} as const;

const ENTRIES = Object.entries(SECURITY_HEADERS);

export const securityHeaders: RequestHandler = (_request, response, next) => {
  for (const [name, value] of ENTRIES) response.setHeader(name, value);
  next();
};
