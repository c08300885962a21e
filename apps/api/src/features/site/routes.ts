import type { Request, RequestHandler, Response, Router } from 'express';
import { hasForm } from '../../http/answer.ts';
import { chooseEncoding } from '../../http/encoding.ts';
import { mount } from '../../http/routing.ts';
import { missing } from '../../platform/errors.ts';
import type { Site } from './site.ts';

export interface MountSiteOptions {
  /** Path of the page, without a trailing slash. */
  readonly path: string;
  readonly site: Site;
  /** Whether the page's own policy permits framing; default: never framed. */
  readonly isFramed?: boolean;
  /** Whether the page has addresses below its path: what is no file, and not of `assets/`, is answered with the page. */
  readonly hasRoutes?: boolean;
}

/** Sends a file, whole, in the best form that the client accepts; 304 if the client has that form already. */
function sendFile(request: Request, response: Response, o: MountSiteOptions, path: string): void {
  const found = o.site.get(path);
  if (found === undefined) throw missing('address');
  response.vary('Accept-Encoding');
  const encoding = chooseEncoding(request, [...found.encoded.keys()]);
  const form = encoding === 'identity' ? found : (found.encoded.get(encoding) ?? found);
  // It would forbid framing in browsers without `frame-ancestors`.
  if (o.isFramed) response.removeHeader('X-Frame-Options');
  const etag = `"${form.sha256}"`;
  response.set(found.headers).set('ETag', etag);
  if (hasForm(request, etag)) return void response.status(304).send();
  if (encoding !== 'identity') response.set('Content-Encoding', encoding);
  response.send(form.bytes);
}

/** Serves a built page below a path, each file with the headers and in the content codings from its build. */
export function mountSite(router: Router, o: MountSiteOptions): void {
  // A relative redirect: browsers keep the fragment with a guest's token when they follow it.
  const folder = `${o.path.slice(o.path.lastIndexOf('/') + 1)}/`;
  mount(router, o.path, { get: (_request, response) => response.redirect(308, folder) });
  mount(router, `${o.path}/`, { get: (request, response) => sendFile(request, response, o, 'index.html') });
  mount(router, `${o.path}/*path`, {
    get(request, response) {
      const { path: parts } = request.params as { readonly path?: unknown };
      const path = Array.isArray(parts) ? parts.join('/') : '';
      const isRoute = o.hasRoutes === true && !path.startsWith('assets/') && o.site.get(path) === undefined;
      return sendFile(request, response, o, isRoute ? 'index.html' : path);
    },
  });
}

/** Sends the widget's loader, which then shows the page of this address, with a slash, wherever it comes from. */
export const sendLoaderFor =
  (page: URL, site: Site | null): RequestHandler =>
  (_request, response) => {
    const loader = site?.get('widget.js');
    if (loader === undefined) throw missing('address');
    response.set(loader.headers).send(`document.currentScript.dataset.svcPage="${page.href}";\n${loader.bytes}`);
  };

/**
 * Mounts the check-in page at `/kiosk/`, if it was built, and its pairing data.
 * @param o.deployment raw Ed25519 public keys, base64url: the current one, and during a rotation the next or former one
 */
export function mountKiosk(
  router: Router,
  o: { readonly site: Site; readonly deployment: () => Promise<{ readonly signingKeys: readonly string[] }> },
): void {
  mount(router, '/kiosk/deployment.json', {
    get: async (_request, response) => void response.json(await o.deployment()),
  });
  mountSite(router, { path: '/kiosk', site: o.site });
}
