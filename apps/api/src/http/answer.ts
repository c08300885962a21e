import type { RequestHandler, Response } from 'express';
import { z } from 'zod';

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

const keptSchema = z.object({
  status: z.union([z.literal(200), z.literal(201), z.literal(202), z.literal(204)]),
  location: z.string().optional(),
  // Not `z.looseObject`: it copies the object, and a copy loses a member named «__proto__».
  body: z.custom<object>((value) => typeof value === 'object' && value !== null).optional(),
});

/** An answer as stored; null when it contains a secret. */
export function keptText({ status, location, body, secretOf }: Answer): string | null {
  return secretOf === undefined ? JSON.stringify({ status, location, body }) : null;
}

/** Parses the text of {@link keptText}. */
export function readKept(text: string): Answer {
  const { status, location, body } = keptSchema.parse(JSON.parse(text));
  return { status, ...(location === undefined ? {} : { location }), ...(body === undefined ? {} : { body }) };
}

export function sendAnswer(response: Response, { status, location, body }: Answer): void {
  response.status(status);
  if (location !== undefined) response.setHeader('Location', location);
  if (body === undefined) response.end();
  else response.json(body);
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
