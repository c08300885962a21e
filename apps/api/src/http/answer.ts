import type { RequestHandler, Response } from 'express';
import { z } from 'zod';

/** What a POST is answered, before it is sent. */
export interface Answer {
  readonly status: 200 | 201 | 202 | 204;
  /** `Location` */
  readonly location?: string;
  /** JSON; absent for 204. */
  readonly body?: object;
  /**
   * The answer holds a secret that is shown once: instead of it, this identifier of what was made is kept for repeats.
   */
  readonly secretOf?: string;
  /** The person whom the answer names: what is kept of it is erased with him. */
  readonly about?: { readonly listId: string; readonly personId: string };
}

const keptSchema = z.object({
  status: z.union([z.literal(200), z.literal(201), z.literal(202), z.literal(204)]),
  location: z.string().optional(),
  // Not `z.looseObject`: it copies, and what it copies loses a member named «__proto__».
  body: z.custom<object>((value) => typeof value === 'object' && value !== null).optional(),
});

/** An answer as it is kept; null when a secret is in it. */
export function keptText({ status, location, body, secretOf }: Answer): string | null {
  return secretOf === undefined ? JSON.stringify({ status, location, body }) : null;
}

/** The answer that {@link keptText} made the text of. */
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

/** Aborted when the connection goes before the answer was sent: nobody waits for the work any more. */
export function clientGone(response: Response): AbortSignal {
  const controller = new AbortController();
  if (response.closed) controller.abort();
  else response.once('close', () => response.writableFinished || controller.abort());
  return controller.signal;
}

/**
 * An API's answers are data: never a page, never cached, never sniffed, never embedded. A route that serves a page
 * replaces what it must.
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
