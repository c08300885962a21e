import type { RequestHandler } from 'express';

/** An API's answers are data: never a page, never cached, never sniffed, never embedded. A route that serves a page replaces what it must. */
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
