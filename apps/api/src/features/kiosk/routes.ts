import { createHash } from 'node:crypto';
import type { Router } from 'express';
import { mount } from '../../http/routing.ts';
import { mountSite } from '../site/routes.ts';
import type { Site } from '../site/site.ts';

const POLICY = 'Content-Security-Policy';

/** Properties of the serving deployment that a kiosk needs. */
export interface KioskDeployment {
  /** Raw Ed25519 public keys, base64url: the current one, and during a rotation also the next or the former one. */
  readonly signingKeys: readonly string[];
}

/**
 * The page's files, with these origins in the policy of the page itself, which may then connect to them. The page's
 * workers may not.
 */
export function withCheckInOrigins(site: Site, origins: readonly string[]): Site {
  if (origins.length === 0) return site;
  const widen = (policy: string) => policy.replace(/(^|; *)(connect-src [^;]*)/, `$1$2 ${origins.join(' ')}`);
  // Browsers ask by this hash whether they have the page with its present headers.
  const hash = (sha256: string) =>
    createHash('sha256')
      .update(`${sha256} ${origins.join(' ')}`)
      .digest('base64');
  return {
    get(path) {
      const page = site.get(path);
      const policy = page?.headers[POLICY];
      if (path !== 'index.html' || page === undefined || policy === undefined) return page;
      const encoded = new Map([...page.encoded].map(([name, form]) => [name, { ...form, sha256: hash(form.sha256) }]));
      return { ...page, sha256: hash(page.sha256), encoded, headers: { ...page.headers, [POLICY]: widen(policy) } };
    },
  };
}

/** Mounts the check-in page at `/kiosk/`, if it was built, and its pairing data. */
export function mountKiosk(
  router: Router,
  o: { readonly site: Site; readonly deployment: () => Promise<KioskDeployment> },
): void {
  mount(router, '/kiosk/deployment.json', {
    async get(_request, response) {
      response.json(await o.deployment());
    },
  });
  mountSite(router, { path: '/kiosk', site: o.site });
}
