import type { RequestHandler, Response } from 'express';
import type { Random } from '../ports.ts';

const REQUEST_ID_BYTES = 15;

export function createRequestId(random: Random): string {
  return `req_${Buffer.from(random.bytes(REQUEST_ID_BYTES)).toString('base64url')}`;
}

/** Gives every request an identifier, in `X-Request-Id` and in each log line about it. One that a caller brings is not taken over. */
export function requestId(random: Random): RequestHandler {
  return (_request, response, next) => {
    const id = createRequestId(random);
    response.locals.requestId = id;
    response.setHeader('X-Request-Id', id);
    next();
  };
}

export function requestIdOf(response: Response): string {
  const id: unknown = response.locals.requestId;
  return typeof id === 'string' ? id : '';
}
