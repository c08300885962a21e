import type { RequestHandler } from 'express';
import { ServiceError } from '../platform/errors.ts';

/** How many headers of this name were sent; Node keeps the first one alone of some. */
function count(rawHeaders: readonly string[], name: string): number {
  return rawHeaders.filter((header, i) => i % 2 === 0 && header.toLowerCase() === name).length;
}

/** RFC 9112 section 3.2: a request of HTTP/1.1 without `Host`, and any with more than one, is answered 400. */
export const requireHost: RequestHandler = (request, _response, next) => {
  const hosts = count(request.rawHeaders, 'host');
  if (hosts > 1) throw new ServiceError('invalid-request', { detail: 'There is more than one Host header.' });
  if (request.httpVersion === '1.1' && hosts === 0) {
    throw new ServiceError('invalid-request', { detail: 'The Host header is missing.' });
  }
  next();
};
