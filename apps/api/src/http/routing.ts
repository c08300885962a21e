import type { Request, Response, Router } from 'express';
import { ServiceError } from '../platform/errors.ts';

export type Handler = (request: Request, response: Response) => Promise<void> | void;
const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;
export type Methods = Partial<Record<(typeof METHODS)[number], Handler>>;

/**
 * Mounts the methods of a path; other methods are answered with 405 and `Allow`.
 * @param isOther whether they go on to a later path instead
 */
export function mount(router: Router, path: string, methods: Methods, isOther = false): void {
  const route = router.route(path);
  const allow: string[] = [];
  for (const method of METHODS) {
    const handler = methods[method];
    if (handler === undefined) continue;
    // Express 5 passes rejections to the error handler.
    route[method]((request, response) => handler(request, response));
    allow.push(...(method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()]));
  }
  if (isOther) return;
  route.all((_request, response) => {
    response.setHeader('Allow', allow.join(', '));
    throw new ServiceError('method-not-allowed');
  });
}
