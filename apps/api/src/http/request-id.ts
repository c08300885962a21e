import type { RequestHandler, Response } from 'express';
import type { Random } from '../platform/ports.ts';

const REQUEST_ID_BYTES = 15;

/** Ids are not secret: random bytes are drawn for many at once. */
const DRAWN_AT_ONCE = 128;

/** Generates request ids, `req_…`, with 120 random bits. */
export function createRequestIds(random: Random): () => string {
  let bytes = Buffer.alloc(0);
  let used = 0;
  return () => {
    if (used === bytes.length) {
      bytes = Buffer.from(random.bytes(DRAWN_AT_ONCE * REQUEST_ID_BYTES));
      used = 0;
    }
    used += REQUEST_ID_BYTES;
    return `req_${bytes.toString('base64url', used - REQUEST_ID_BYTES, used)}`;
  };
}

/** Gives every request an id, in `X-Request-Id` and in its log lines. An id sent by the caller is ignored. */
export function requestId(random: Random): RequestHandler {
  const nextId = createRequestIds(random);
  return (_request, response, next) => {
    const id = nextId();
    response.locals.requestId = id;
    response.setHeader('X-Request-Id', id);
    next();
  };
}

export function requestIdOf(response: Response): string {
  const id: unknown = response.locals.requestId;
  return typeof id === 'string' ? id : '';
}
