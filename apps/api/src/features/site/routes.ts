import type { Response, Router } from 'express';
import { mount } from '../../http/routing.ts';
import { ServiceError } from '../../platform/errors.ts';
import type { Site } from './site.ts';

export interface MountSiteOptions {
  /** Path of the page, without a trailing slash. */
  readonly path: string;
  readonly site: Site;
  /** Whether the page's own policy permits framing; default: never framed. */
  readonly isFramed?: boolean;
}

function sendFile(response: Response, { site, isFramed = false }: MountSiteOptions, path: string): Promise<void> {
  const found = site.get(path);
  if (found === undefined) throw new ServiceError('not-found');
  // It would forbid framing in browsers without `frame-ancestors`.
  if (isFramed) response.removeHeader('X-Frame-Options');
  response.set(found.headers);
  return new Promise((resolve, reject) => {
    // The page's own headers set the caching.
    const options = { cacheControl: false, lastModified: false, etag: false, dotfiles: 'allow' } as const;
    response.sendFile(found.file, options, (error: Error | undefined) => {
      // No error answer to a client that disconnected.
      if (error === undefined || response.headersSent) resolve();
      else reject(error);
    });
  });
}

/** Serves a built page below a path, each file with the headers from its build. */
export function mountSite(router: Router, o: MountSiteOptions): void {
  // A relative redirect: browsers keep the fragment with a guest's token when they follow it.
  const folder = `${o.path.slice(o.path.lastIndexOf('/') + 1)}/`;
  mount(router, o.path, { get: (_request, response) => response.redirect(308, folder) });
  mount(router, `${o.path}/`, { get: (_request, response) => sendFile(response, o, 'index.html') });
  mount(router, `${o.path}/*path`, {
    get(request, response) {
      const { path } = request.params as { readonly path?: unknown };
      return sendFile(response, o, Array.isArray(path) ? path.join('/') : '');
    },
  });
}
