import { HOUR_MS, MINUTE_MS, SYNC_DUE_MS, SYNC_INTERVAL_MS } from '@svc/protocol';
import type { Logger } from 'pino';
import type { ApiConfig } from '../config/config.ts';
import { createListExpiry } from '../features/lists/expiry.ts';
import { createMailingSender } from '../features/mailings/sender.ts';
import { createRetentionService } from '../features/retention/service.ts';
import { createRetentionStore } from '../features/retention/store.ts';
import { createDeliveryStore } from '../features/webhooks/delivery-store.ts';
import { createDispatchStore } from '../features/webhooks/dispatch-store.ts';
import { WebhookDispatcher } from '../features/webhooks/dispatcher.ts';
import { createReceiverPolicy } from '../features/webhooks/receiver-policy.ts';
import { createSender, observeSend, type ResolveHost, resolveHost } from '../features/webhooks/sender.ts';
import { createWebhookService, type WebhookService } from '../features/webhooks/service.ts';
import { createWebhookStore } from '../features/webhooks/store.ts';
import { JobRunner, observeJob, type RecurringJob } from '../jobs/runner.ts';
import { createJobStore } from '../jobs/store.ts';
import type { Cleanup } from '../platform/cleanup.ts';
import { describeError } from '../platform/logger.ts';
import type { Services } from './services.ts';

/** The webhooks of a node: the endpoint service, and the delivering dispatcher on a node with jobs. */
export function composeWebhooks(
  o: Services & {
    readonly config: ApiConfig['background'];
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

/** How often mailings are looked for. */
const MAILINGS_EVERY_MS = 2_000;

/**
 * The sending of mailings, on a node with jobs where mail is configured. A job beside the others, which it would keep
 * waiting; one node at a time has its lease, so that the rate is that of the deployment.
 */
export function composeMailings(o: RunnerParts & { readonly config: ApiConfig }, cleanup: Cleanup): void {
  if (o.mail === null) return;
  const sender = createMailingSender({
    ...o,
    store: o.mailingStore,
    transport: o.mail,
    mailsPerMinute: o.config.mailsPerMinute,
    domain: new URL(o.config.widget.url).hostname,
  });
  startRunner(o, cleanup, [{ name: 'send-mailings', everyMs: MAILINGS_EVERY_MS, run: () => sender.run() }]);
  cleanup.add(() => sender.stop());
}

/** Doors that are lost together sync within an interval, and so are told in one mail or two. */
const NOTICES = {
  name: 'tell-notices',
  ...{ everyMs: SYNC_INTERVAL_MS, waitsAfterOutageMs: SYNC_DUE_MS, isSlow: true },
};

/** What a deployment does again and again, whatever its requests. */
export function recurringJobs(o: Services): readonly RecurringJob[] {
  const { scrub, clock, mailer } = o;
  const { connection } = o.database;
  const retention = createRetentionService({
    ...o,
    store: createRetentionStore(connection),
    deliveries: createDeliveryStore(connection),
    webhooks: createWebhookStore(connection),
  });
  const expiredLists = createListExpiry({ ...o, store: o.listStore, people: o.personExpiry });
  return [
    { name: 'expire-lists', everyMs: MINUTE_MS, run: () => expiredLists.removeExpired() },
    { name: 'tell-ended-events', everyMs: MINUTE_MS, run: () => o.events.tellEnds() },
    { name: 'expire-people', everyMs: MINUTE_MS, run: () => o.personExpiry.removeExpired() },
    ...(mailer ? [{ ...NOTICES, run: () => o.notices.tell(mailer) }] : []),
    { name: 'drop-empty-epochs', everyMs: 5 * MINUTE_MS, run: () => o.epochs.dropEmpty() },
    { name: 'finish-account-deletions', everyMs: 5 * MINUTE_MS, run: () => o.accountDeletion.finishDeletions() },
    { name: 'finish-list-deletions', everyMs: 5 * MINUTE_MS, run: () => o.lists.finishDeletions() },
    { name: 'purge-tokens', everyMs: 10 * MINUTE_MS, run: () => o.tokens.sweep() },
    { name: 'purge-mailings', everyMs: 10 * MINUTE_MS, run: () => o.mailings.sweep() },
    { name: 'purge-previews', everyMs: 10 * MINUTE_MS, run: () => o.brands.sweep() },
    { name: 'purge-sign-ins', everyMs: 10 * MINUTE_MS, run: () => o.sessionService.sweep() },
    { name: 'purge-removals', everyMs: HOUR_MS, run: () => retention.removals() },
    { name: 'purge-arrivals', everyMs: HOUR_MS, run: () => retention.arrivals() },
    { name: 'purge-devices', everyMs: HOUR_MS, run: () => retention.devices() },
    { name: 'purge-webhooks', everyMs: HOUR_MS, run: () => retention.webhooks() },
    { name: 'purge-requests', everyMs: HOUR_MS, run: () => retention.requests() },
    { name: 'purge-evidence', everyMs: HOUR_MS, run: () => retention.evidence() },
    ...(scrub === null
      ? []
      : [{ name: 'scrub-database', everyMs: MINUTE_MS / 2, atStart: true, run: () => scrub(clock.now()) }]),
    { name: 'fill-tickets', everyMs: HOUR_MS, run: () => o.links.fillTickets() },
    { name: 'forget-erasures', everyMs: 6 * HOUR_MS, run: () => o.restore.replay().then(() => o.restore.forgetOld()) },
  ];
}

type RunnerParts = Services & { readonly graceMs: number; readonly logger: Logger };

function startRunner(o: RunnerParts, cleanup: Cleanup, jobs: readonly RecurringJob[]): void {
  if (jobs.length === 0) return;
  const runner = new JobRunner({
    ...o,
    store: createJobStore(o.database.connection),
    jobs: jobs.map((job) => observeJob(job, o.metrics)),
    onError: (job, error) => o.logger.error({ job, error: describeError(error) }, 'a job failed'),
    onDone: (job) => o.logger.debug({ job }, 'a job is done'),
  });
  cleanup.add(() => runner.stop(o.graceMs));
  runner.start();
}

/** Runs the recurring jobs on a node. */
export function composeJobs(o: RunnerParts, cleanup: Cleanup): void {
  const jobs = recurringJobs(o);
  for (const isSlow of [undefined, true])
    startRunner(
      o,
      cleanup,
      jobs.filter((job) => job.isSlow === isSlow),
    );
}
