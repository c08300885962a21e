import type { Router } from 'express';
import type { ApiConfig } from '../config/config.ts';
import { mountDemo } from '../features/demo/routes.ts';
import { createDemo } from '../features/demo/service.ts';
import { mountKiosk } from '../features/kiosk/routes.ts';
import { mountOpenApi } from '../features/openapi/routes.ts';
import { mountSite } from '../features/site/routes.ts';
import { readSite, withOrigins } from '../features/site/site.ts';
import type { Services } from './services.ts';

/** Pages for browsers: the reference and the built pages. @returns mounts them */
export function composePages(services: Services, config: ApiConfig): (router: Router) => void {
  const dashboard = readSite(config.dashboardDirectory);
  const kiosk = readSite(config.kioskDirectory);
  const widget = readSite(config.widgetDirectory);
  return (router) => {
    mountOpenApi(router);
    if (dashboard !== null) {
      // The live preview of the widget.
      const site = withOrigins(dashboard, 'frame-src', [new URL(config.widget.url).origin]);
      mountSite(router, { path: '/dashboard', site, hasRoutes: true });
    }
    if (kiosk !== null) {
      const deployment = async () => ({ signingKeys: (await services.signing.current()).announced });
      mountKiosk(router, { site: withOrigins(kiosk, 'connect-src', config.checkInOrigins), deployment });
    }
    if (widget === null) return;
    mountSite(router, { path: '/widget', site: widget, isFramed: true });
    if (config.demo) mountDemo(router, { demo: createDemo(services) });
  };
}
