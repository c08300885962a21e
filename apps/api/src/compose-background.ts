import type { BackgroundConfig } from './background-config.ts';
import type { Cleanup } from './cleanup.ts';
import type { KeyRing } from './crypto/key-ring.ts';
import type { Database } from './db/connection.ts';
import type { AuditLog } from './features/audit/service.ts';
import { createDeliveryStore } from './features/webhooks/delivery-store.ts';
import { createDispatchStore } from './features/webhooks/dispatch-store.ts';
import { WebhookDispatcher } from './features/webhooks/dispatcher.ts';
import { createReceiverPolicy } from './features/webhooks/receiver-policy.ts';
import { createSender, type ResolveHost, resolveHost } from './features/webhooks/sender.ts';
import { createWebhookService, type WebhookService } from './features/webhooks/service.ts';
import { createWebhookStore } from './features/webhooks/store.ts';
import type { Ids } from './ids.ts';
import type { Clock, Random } from './ports.ts';

/** The webhooks of a node: their endpoints' service, and on a node with jobs the dispatcher that delivers. */
export function composeWebhooks(
  o: {
    readonly config: BackgroundConfig;
    readonly database: Database;
    readonly keyRing: KeyRing;
    readonly audit: AuditLog;
    readonly ids: Ids;
    readonly clock: Clock;
    readonly random: Random;
    readonly resolveHost?: ResolveHost | undefined;
    readonly onError: (error: unknown) => void;
  },
  cleanup: Cleanup,
): WebhookService {
  const { connection } = o.database;
  const policy = createReceiverPolicy(o.config.webhooks);
  if (o.config.jobs) {
    const dispatcher = new WebhookDispatcher({
      ...o,
      store: createDispatchStore(connection),
      send: createSender({ policy, resolve: o.resolveHost ?? resolveHost }),
    });
    cleanup.add(() => dispatcher.stop());
    dispatcher.start();
  }
  return createWebhookService({
    ...o,
    store: createWebhookStore(connection),
    deliveries: createDeliveryStore(connection),
    policy,
  });
}
