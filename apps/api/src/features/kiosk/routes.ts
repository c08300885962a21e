import type { Router } from 'express';
import { mount } from '../../http/routing.ts';
import { mountSite } from '../site/routes.ts';
import type { Site } from '../site/site.ts';

/** What a kiosk needs to know of the deployment that serves it. */
export interface KioskDeployment {
  /** Raw Ed25519 public keys, base64url: the current one, and the next or the former while they change over. */
  readonly signingKeys: readonly string[];
}

/** The check-in page at `/kiosk/`, where it was built, and what it pairs with. */
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
