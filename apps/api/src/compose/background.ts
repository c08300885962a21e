import { HOUR_MS, MINUTE_MS } from '@svc/protocol';
import type { Logger } from 'pino';
import type { ApiConfig } from '../config/config.ts';
import type { ErasureMemory } from '../crypto/erasure-memory.ts';
import type { KeyRing } from '../crypto/key-ring.ts';
import type { Database } from '../db/connection.ts';
import type { AccountDeletion } from '../features/accounts/deletion.ts';
import type { AuditLog } from '../features/audit/service.ts';
import type { ConsentLedger } from '../features/consents/ledger.ts';
import type { IdempotencyService } from '../features/idempotency/service.ts';
import type { EpochService } from '../features/lists/epochs.ts';
import { createListExpiry } from '../features/lists/expiry.ts';
import type { ListService } from '../features/lists/service.ts';
import type { ListStore } from '../features/lists/store.ts';
import type { PersonExpiry } from '../features/people/expiry.ts';
import type { RestoreService } from '../features/restore/service.ts';
import { createRetentionService } from '../features/retention/service.ts';
import { createRetentionStore } from '../features/retention/store.ts';
import type { TokenService } from '../features/tokens/service.ts';
import { createDeliveryStore } from '../features/webhooks/delivery-store.ts';
import { createDispatchStore } from '../features/webhooks/dispatch-store.ts';
import { WebhookDispatcher } from '../features/webhooks/dispatcher.ts';
import type { Outbox } from '../features/webhooks/outbox.ts';
import { createReceiverPolicy } from '../features/webhooks/receiver-policy.ts';
import { createSender, observeSend, type ResolveHost, resolveHost } from '../features/webhooks/sender.ts';
import { createWebhookService, type WebhookService } from '../features/webhooks/service.ts';
import { createWebhookStore } from '../features/webhooks/store.ts';
import { JobRunner, observeJob, type RecurringJob } from '../jobs/runner.ts';
import { createJobStore } from '../jobs/store.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { Cleanup } from '../platform/cleanup.ts';
import { describeError } from '../platform/logger.ts';
import type { Clock, Ids, Random } from '../platform/ports.ts';

/** The webhooks of a node: their endpoints' service, and on a node with jobs the dispatcher that delivers. */
export function composeWebhooks(
  o: {
    readonly config: ApiConfig['background'];
    readonly database: Database;
    readonly keyRing: KeyRing;
    readonly erasures: ErasureMemory;
    readonly audit: AuditLog;
    readonly metrics: Metrics;
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
      send: observeSend(createSender({ policy, resolve: o.resolveHost ?? resolveHost }), o.metrics),
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

/** The recurring jobs of a node: everything that a deployment does by itself. */
export function composeJobs(
  o: {
    readonly database: Database;
    readonly listStore: ListStore;
    readonly epochs: EpochService;
    readonly lists: ListService;
    readonly restore: RestoreService;
    readonly personExpiry: PersonExpiry;
    readonly accountDeletion: AccountDeletion;
    readonly requests: IdempotencyService;
    readonly ledger: ConsentLedger;
    readonly tokens: TokenService;
    readonly keyRing: KeyRing;
    readonly erasures: ErasureMemory;
    readonly audit: AuditLog;
    readonly outbox: Outbox;
    readonly metrics: Metrics;
    readonly ids: Ids;
    readonly clock: Clock;
    /** Puts what was deleted out of the embedded database's files; null for a database of one's own. */
    readonly scrub: (() => Promise<void>) | null;
    readonly graceMs: number;
    readonly logger: Logger;
  },
  cleanup: Cleanup,
): void {
  const { connection } = o.database;
  const retention = createRetentionService({
    ...o,
    store: createRetentionStore(connection),
    deliveries: createDeliveryStore(connection),
    webhooks: createWebhookStore(connection),
  });
  const expiredLists = createListExpiry({ ...o, store: o.listStore, people: o.personExpiry });
  const jobs: readonly RecurringJob[] = [
    { name: 'expire-lists', everyMs: MINUTE_MS, run: () => expiredLists.removeExpired() },
    { name: 'expire-people', everyMs: MINUTE_MS, run: () => o.personExpiry.removeExpired() },
    { name: 'drop-empty-epochs', everyMs: 5 * MINUTE_MS, run: () => o.epochs.dropEmpty() },
    { name: 'finish-account-deletions', everyMs: 5 * MINUTE_MS, run: () => o.accountDeletion.finishDeletions() },
    { name: 'finish-list-deletions', everyMs: 5 * MINUTE_MS, run: () => o.lists.finishDeletions() },
    { name: 'purge-tokens', everyMs: 10 * MINUTE_MS, run: () => o.tokens.sweep() },
    { name: 'purge-removals', everyMs: HOUR_MS, run: () => retention.removals() },
    { name: 'purge-devices', everyMs: HOUR_MS, run: () => retention.devices() },
    { name: 'purge-webhooks', everyMs: HOUR_MS, run: () => retention.webhooks() },
    { name: 'purge-requests', everyMs: HOUR_MS, run: () => retention.requests() },
    { name: 'purge-evidence', everyMs: HOUR_MS, run: () => retention.evidence() },
    ...(o.scrub === null ? [] : [{ name: 'scrub-database', everyMs: HOUR_MS, run: o.scrub }]),
    { name: 'forget-erasures', everyMs: 6 * HOUR_MS, run: () => o.restore.replay().then(() => o.restore.forgetOld()) },
  ];
  const runner = new JobRunner({
    ...o,
    store: createJobStore(connection),
    jobs: jobs.map((job) => observeJob(job, o.metrics)),
    onError: (job, error) => o.logger.error({ job, error: describeError(error) }, 'a job failed'),
    onDone: (job) => o.logger.debug({ job }, 'a job is done'),
  });
  cleanup.add(() => runner.stop(o.graceMs));
  runner.start();
}
