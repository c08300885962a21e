import type { Router } from 'express';
import { mount } from '../../http/routing.ts';
import { mountSite } from '../site/routes.ts';
import type { Site } from '../site/site.ts';

/** Properties of the serving deployment that a kiosk needs. */
export interface KioskDeployment {
  /** Raw Ed25519 public keys, base64url: the current one, and during a rotation also the next or the former one. */
  readonly signingKeys: readonly string[];
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
