import type { Response, Router } from 'express';
import { mount } from '../../http/routing.ts';
import { ServiceError } from '../../platform/errors.ts';
import type { Site } from './site.ts';

export interface MountSiteOptions {
  /** Where the page is, without a slash at the end. */
  readonly path: string;
  readonly site: Site;
  /** Whether the page's own policy says who may frame it, instead of nobody. */
  readonly isFramed?: boolean;
}

function sendFile(response: Response, { site, isFramed = false }: MountSiteOptions, path: string): Promise<void> {
  const found = site.get(path);
  if (found === undefined) throw new ServiceError('not-found');
  // It says nobody to browsers that do not know `frame-ancestors`.
  if (isFramed) response.removeHeader('X-Frame-Options');
  response.set(found.headers);
  return new Promise((resolve, reject) => {
    // The page's own headers say how long a file may be kept.
    const options = { cacheControl: false, lastModified: false, etag: false, dotfiles: 'allow' } as const;
    response.sendFile(found.file, options, (error: Error | undefined) => {
      // Whoever went away in the middle is not told of it.
      if (error === undefined || response.headersSent) resolve();
      else reject(error);
    });
  });
}

/** Serves a built page below a path, each file with the headers that its build asks for. */
export function mountSite(router: Router, o: MountSiteOptions): void {
  // A browser takes a fragment, and with it a guest's token, along to where it is sent.
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
