import type { Response, Router } from 'express';
import { ServiceError } from '../../errors.ts';
import { mount } from '../../http/routing.ts';
import type { Site } from './site.ts';

/** What a kiosk needs to know of the deployment that serves it. */
export interface KioskDeployment {
  /** Raw Ed25519 public keys, base64url: the current one and the next. */
  readonly signingKeys: readonly string[];
}

function sendFile(response: Response, site: Site, path: string): Promise<void> {
  const found = site.get(path);
  if (found === undefined) throw new ServiceError('not-found');
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

/** The check-in page at `/kiosk/`, where it was built, and what it pairs with. */
export function mountKiosk(router: Router, o: { readonly site: Site; readonly deployment: KioskDeployment }): void {
  mount(router, '/kiosk', {
    get: (_request, response) => response.redirect(308, 'kiosk/'),
  });
  mount(router, '/kiosk/deployment.json', {
    get(_request, response) {
      response.json(o.deployment);
    },
  });
  mount(router, '/kiosk/', { get: (_request, response) => sendFile(response, o.site, 'index.html') });
  mount(router, '/kiosk/*path', {
    get(request, response) {
      const { path } = request.params as { readonly path?: unknown };
      return sendFile(response, o.site, Array.isArray(path) ? path.join('/') : '');
    },
  });
}
