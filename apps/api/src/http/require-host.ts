import type { RequestHandler } from 'express';
import { ServiceError } from '../errors.ts';

/** RFC 9112 section 3.2: a request of HTTP/1.1 without `Host` is answered 400. */
export const requireHost: RequestHandler = (request, _response, next) => {
  if (request.httpVersion === '1.1' && request.headers.host === undefined) {
    throw new ServiceError('invalid-request', { detail: 'The Host header is missing.' });
  }
  next();
};
