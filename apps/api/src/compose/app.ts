import type { Express, Router } from 'express';
import type { Logger } from 'pino';
import { type ApiConfig, originOf } from '../config/config.ts';
import { apiKeyHandlers } from '../features/accounts/routes.ts';
import { admissionHandlers } from '../features/admissions/routes.ts';
import { arrivalHandlers } from '../features/arrivals/routes.ts';
import { auditHandlers } from '../features/audit/routes.ts';
import { brandHandlers } from '../features/brand/routes.ts';
import { consentHandlers } from '../features/consents/routes.ts';
import { isOnThisMachine, mountDemo } from '../features/demo/routes.ts';
import { createDemo } from '../features/demo/service.ts';
import { deviceHandlers } from '../features/devices/routes.ts';
import { eventHandlers } from '../features/events/routes.ts';
import type { KnownCallers } from '../features/handlers.ts';
import type { Readiness } from '../features/health/readiness.ts';
import { healthHandlers } from '../features/health/routes.ts';
import { listHandlers } from '../features/lists/routes.ts';
import { liveHandlers } from '../features/live/routes.ts';
import type { LiveService } from '../features/live/service.ts';
import { mailingHandlers } from '../features/mailings/routes.ts';
import { noticeHandlers } from '../features/notices/routes.ts';
import { mountIndex, mountOpenApi, openApiHandlers, type PageLink } from '../features/openapi/routes.ts';
import { personHandlers } from '../features/people/routes.ts';
import { sessionHandlers } from '../features/sessions/routes.ts';
import { accountCallerOf } from '../features/sessions/service.ts';
import { mountKiosk, mountSite, sendLoaderFor } from '../features/site/routes.ts';
import { readSite, withOrigins } from '../features/site/site.ts';
import { syncHandlers } from '../features/sync/routes.ts';
import { tokenHandlers } from '../features/tokens/routes.ts';
import { usageHandlers } from '../features/usage/routes.ts';
import { userHandlers } from '../features/users/routes.ts';
import { webhookHandlers } from '../features/webhooks/routes.ts';
import type { WebhookService } from '../features/webhooks/service.ts';
import { widgetHandlers } from '../features/widget/routes.ts';
import { wordingHandlers } from '../features/wording/routes.ts';
import { createApp } from '../http/app.ts';
import { mountCors } from '../http/cors.ts';
import { cookiesOverHttp, createAddressBucket, createAddressLimit } from '../http/credentials.ts';
import { createGuards } from '../http/guards.ts';
import { separateHosts } from '../http/hosts.ts';
import { mountOperations } from '../http/operations.ts';
import { describeError } from '../platform/logger.ts';
import type { ApiParts } from './parts.ts';
import type { Services } from './services.ts';
import type { Serving } from './serving.ts';

/** The built pages, each null where there is none. Where hosts are separate, a page without an address has no place. */
const readPages = ({ apiUrl, dashboardUrl, kioskUrl, ...config }: ApiConfig) => ({
  dashboard: apiUrl !== null && dashboardUrl === null ? null : readSite(config.dashboardDirectory),
  kiosk: apiUrl !== null && kioskUrl === null ? null : readSite(config.kioskDirectory),
  manual: readSite(config.manualDirectory),
  widget: readSite(config.widgetDirectory),
});

/** Pages for browsers: the reference and the built pages. @returns mounts them */
function composePages(
  services: Services,
  config: ApiConfig,
  { dashboard, kiosk, manual, widget }: ReturnType<typeof readPages>,
): (router: Router) => void {
  const { dashboardUrl, kioskUrl } = config;
  const hasDemo = widget !== null && config.demo;
  const links: readonly (PageLink | false)[] = [
    dashboard !== null && [dashboardUrl ?? '/dashboard/', 'Dashboard', 'events, guests and devices'],
    kiosk !== null && [kioskUrl ?? '/kiosk/', 'Kiosk', 'the check-in page for a door'],
    manual !== null && ['/manual/', 'Manual', 'how to use, build with and operate it'],
    ['/docs', 'API reference', 'every operation of the API'],
    ['/v1/openapi.json', 'OpenAPI', 'the same for programs'],
  ];
  const demo: PageLink = ['/demo', 'Demo', 'a ticket page with the widget'];
  return (router) => {
    mountOpenApi(router);
    mountIndex(router, (request) =>
      [...links, hasDemo && isOnThisMachine(request) && demo].filter((link) => link !== false),
    );
    if (dashboard !== null) {
      // The live preview of the widget.
      const site = withOrigins(dashboard, 'frame-src', [new URL(config.widget.url).origin]);
      mountSite(router, { path: '/dashboard', site, hasRoutes: true });
    }
    if (kiosk !== null) {
      const deployment = async () => ({ signingKeys: (await services.signing.current()).announced });
      const { checkInOrigins, payloadsOrigin } = config;
      const reached = payloadsOrigin === null ? checkInOrigins : [...checkInOrigins, payloadsOrigin];
      mountKiosk(router, { site: withOrigins(kiosk, 'connect-src', reached), deployment });
    }
    if (manual !== null) mountSite(router, { path: '/manual', site: manual });
    if (widget === null) return;
    mountSite(router, { path: '/widget', site: widget, isFramed: true });
    if (hasDemo) mountDemo(router, { demo: createDemo(services) });
  };
}

/** The routes of a node with their authentication. */
export function composeApp(
  services: Services &
    Serving & { readonly webhooks: WebhookService; readonly live: LiveService; readonly readiness: Readiness },
  o: { readonly config: ApiConfig; readonly parts: ApiParts; readonly logger: Logger },
): Express {
  const { config, parts, logger } = o;
  const { apiUrl, dashboardUrl, kioskUrl } = config;
  const { database, random, metrics, inference, requests } = services;
  const { accounts, brands, events, lists, people, enrolments, tokens, links, guests, devices } = services;
  const { clock } = services;
  const { audit, usage, ledger, widget, sync, webhooks, live } = services;
  const { connection } = database;
  const onError = (error: unknown) => logger.error({ error: describeError(error) }, 'a provider did not sign in');
  const pages = readPages(config);
  if (pages.manual === null) logger.info('there is no /manual: it was not built, by npm run build in apps/manual');
  const mountPages = composePages(services, config, pages);
  const guards = createGuards<KnownCallers>({
    traffic: config.traffic,
    database,
    idempotency: requests,
    authenticateAccount: (apiKey) => accounts.authenticate(apiKey),
    authenticatePerson: (secret) => services.sessionService.authenticate(secret),
    noteUse: (session) => services.sessionService.noteUse(session),
    accountCallerOf,
    dashboardOrigin: dashboardUrl === null ? null : originOf(dashboardUrl),
    clock,
    authenticateGuest: (token) => widget.authenticate(token),
    authenticateDevice: (token) => sync.authenticate(token),
    random,
  });
  const countFetch = createAddressLimit('payload', config.traffic.rateLimits.payload, createAddressBucket(random));
  return createApp({
    trustProxy: config.traffic.trustProxy,
    logger,
    random,
    metrics,
    observe: parts.observe,
    mount(router) {
      if (dashboardUrl?.startsWith('http:')) router.use(cookiesOverHttp);
      if (apiUrl !== null) {
        const { url } = config.widget;
        const sendLoader = sendLoaderFor(new URL('/widget/', url), pages.widget);
        router.use(separateHosts({ api: apiUrl, dashboard: dashboardUrl, kiosk: kioskUrl, widget: url }, sendLoader));
      }
      mountCors(router, { widget: [originOf(config.widget.url)], kiosks: config.widget.kioskOrigins });
      parts.mount?.(router, connection);
      mountPages(router);
      mountOperations(router, guards, {
        ...healthHandlers(services),
        // First, as these are by far the most frequent requests.
        ...syncHandlers({ sync, countFetch }),
        ...arrivalHandlers(services),
        ...admissionHandlers({ admissions: services.admissions }),
        ...personHandlers({ people, enrolments, inference, clock, atOnce: config.inferenceWorkers }),
        ...openApiHandlers,
        ...eventHandlers({ events }),
        ...brandHandlers({ brands, inference }),
        ...tokenHandlers({ tokens, links, guests }),
        ...mailingHandlers({ mailings: services.mailings }),
        ...widgetHandlers({ widget, inference }),
        ...listHandlers({ lists }),
        ...consentHandlers({ ledger }),
        ...wordingHandlers,
        ...deviceHandlers({ devices, clock }),
        ...usageHandlers({ usage }),
        ...auditHandlers({ audit }),
        ...apiKeyHandlers({ accounts, usage, clock }),
        ...userHandlers(services),
        ...noticeHandlers(services),
        ...sessionHandlers({ ...services, config, hasMail: services.mailer !== null, onError }),
        ...webhookHandlers({ webhooks }),
        ...liveHandlers({ live }),
      });
    },
  });
}
