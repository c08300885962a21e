import type { RequestHandler } from 'express';

/** How long a caller may go on sending a body after its answer. */
const LINGER_MS = 5_000;

/**
 * An answer that comes before the body was read (413, 401, 404, 503) must reach a caller that is still sending: the rest is
 * thrown away unread for a while, then the connection is cut. A caller that waits for «100 Continue» never begins.
 */
export const lingerOnUnreadBody: RequestHandler = (request, response, next) => {
  response.on('finish', () => {
    if (request.complete) return;
    // Not only thrown away: it may be a photo.
    request.on('data', (chunk: Buffer) => chunk.fill(0));
    const timer = setTimeout(() => {
      if (!request.complete) request.socket.destroy();
    }, LINGER_MS);
    timer.unref();
    request.once('end', () => clearTimeout(timer));
  });
  next();
};
