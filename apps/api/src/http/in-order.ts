import type { RequestHandler } from 'express';

/**
 * Several handlers as one layer of the router, which matches the path anew for every layer. What one throws, rejects with or hands to
 * `next` goes to the error handler, and those after it are not asked.
 */
export function inOrder(...handlers: readonly RequestHandler[]): RequestHandler {
  return (request, response, done) => {
    function pass(index: number): void {
      const handler = handlers[index];
      if (handler === undefined) {
        done();
        return;
      }
      const next = (error?: unknown) => (error === undefined ? pass(index + 1) : done(error));
      const answer: unknown = handler(request, response, next);
      if (answer instanceof Promise) answer.catch(done);
    }
    pass(0);
  };
}
