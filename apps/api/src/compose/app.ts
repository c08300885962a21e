import type { Express } from 'express';
import type { Logger } from 'pino';
import { type ApiConfig, originOf } from '../config/config.ts';
import { mountAuditLog } from '../features/audit/routes.ts';
import { mountConsents } from '../features/consents/routes.ts';
import { mountDevices } from '../features/devices/routes.ts';
import { mountEvents } from '../features/events/routes.ts';
import { mountHealth } from '../features/health/routes.ts';
import { createHealthStore } from '../features/health/store.ts';
import { mountLists } from '../features/lists/routes.ts';
import { mountPeople } from '../features/people/routes.ts';
import { mountSync } from '../features/sync/routes.ts';
import { mountTokens } from '../features/tokens/routes.ts';
import { mountUsage } from '../features/usage/routes.ts';
import { mountWebhooks } from '../features/webhooks/routes.ts';
import type { WebhookService } from '../features/webhooks/service.ts';
import { mountWidget } from '../features/widget/routes.ts';
import { mountWordings } from '../features/wording/routes.ts';
import { createApp } from '../http/app.ts';
import { mountCors } from '../http/cors.ts';
import { createGuards } from '../http/guards.ts';
import { composePages } from './pages.ts';
import type { ApiParts } from './parts.ts';
import type { Services } from './services.ts';
import type { Serving } from './serving.ts';

/** The routes of a node and who may call them. @param o.isStopping whether the node has been told to stop */
export function composeApp(
  services: Services & Serving & { readonly webhooks: WebhookService },
  o: {
    readonly config: ApiConfig;
    readonly parts: ApiParts;
    readonly logger: Logger;
    readonly isStopping: () => boolean;
  },
): Express {
  const { config, parts, logger } = o;
  const { database, storage, random, metrics, inference, requests } = services;
  const { accounts, events, lists, people, enrolments, tokens, links, devices } = services;
  const { audit, usage, ledger, widget, sync, webhooks } = services;
  const { connection } = database;
  const mountPages = composePages(services, config);
  const { account, guest, device } = createGuards({
    traffic: config.traffic,
    database,
    idempotency: requests,
    accounts,
    authenticateGuest: (token) => widget.authenticate(token),
    authenticateDevice: (token) => sync.authenticate(token),
    random,
  });
  return createApp({
    trustProxy: config.traffic.trustProxy,
    logger,
    random,
    metrics,
    observe: parts.observe,
    mount(router) {
      mountHealth(router, {
        database: createHealthStore(connection),
        keyStore: storage,
        modelsLoaded: () => inference.isReady(),
        stopping: o.isStopping,
      });
      mountCors(router, { widget: [originOf(config.widget.url)], kiosks: config.widget.kioskOrigins });
      // Asked far more often than anything else, so that they are looked for first.
      mountSync(router, { sync, device });
      mountPeople(router, { people, enrolments, inference, account });
      parts.mount?.(router, connection);
      mountPages(router);
      mountEvents(router, { events, account });
      mountTokens(router, { tokens, links, account });
      mountWidget(router, { widget, inference, guard: guest });
      mountLists(router, { lists, account });
      mountConsents(router, { ledger, account });
      mountWordings(router, { account });
      mountDevices(router, { devices, account });
      mountUsage(router, { usage, account });
      mountAuditLog(router, { audit, account });
      mountWebhooks(router, { webhooks, account });
    },
  });
}
