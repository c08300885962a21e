import type { Request, RequestHandler, Response, Router } from 'express';
import { ServiceError } from '../platform/errors.ts';
import { asksForNoCredential, refuseUnknownParameters } from './query.ts';

export type Handler = (request: Request, response: Response) => Promise<void> | void;
export type Methods = Partial<Record<'get' | 'post' | 'put' | 'patch' | 'delete', Handler>>;

function adapt(handler: Handler): RequestHandler {
  // Express 5 passes a rejection on to the error handler.
  return async (request, response) => {
    // Of the others the guard refuses them, once it is known who asks.
    if (asksForNoCredential(request)) refuseUnknownParameters(request);
    await handler(request, response);
  };
}

/** Mounts the methods of one path; every other method of it answers 405 with `Allow`. */
export function mount(router: Router, path: string, methods: Methods): void {
  const route = router.route(path);
  const allow: string[] = [];
  if (methods.get) {
    route.get(adapt(methods.get));
    allow.push('GET', 'HEAD');
  }
  if (methods.post) {
    route.post(adapt(methods.post));
    allow.push('POST');
  }
  if (methods.put) {
    route.put(adapt(methods.put));
    allow.push('PUT');
  }
  if (methods.patch) {
    route.patch(adapt(methods.patch));
    allow.push('PATCH');
  }
  if (methods.delete) {
    route.delete(adapt(methods.delete));
    allow.push('DELETE');
  }
  route.all((_request, response) => {
    response.setHeader('Allow', allow.join(', '));
    throw new ServiceError('method-not-allowed');
  });
}
