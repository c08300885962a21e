import { REMOVAL_MEMORY_MS, WEBHOOK_DELIVERY_MS, WIPE_TOMBSTONE_MS } from '@svc/protocol';
import type { Clock } from '../../platform/ports.ts';
import type { ConsentLedger } from '../consents/ledger.ts';
import type { IdempotencyService } from '../idempotency/service.ts';
import type { DeliveryStore } from '../webhooks/delivery-store.ts';
import type { WebhookStore } from '../webhooks/store.ts';
import type { RetentionStore } from './store.ts';

/** Deletes what is kept for a time only, other than people and lists. Each may run on any number of nodes at once. */
export interface RetentionService {
  /** What is noted of faces that were removed, for devices that come late. */
  removals(): Promise<void>;
  /** What is kept of dead devices, so that they can be told to wipe. */
  devices(): Promise<void>;
  /** Deliveries of webhooks, and secrets that were rotated out. */
  webhooks(): Promise<void>;
  /** Answers that are kept for repeats of their requests. */
  requests(): Promise<void>;
  /** Evidence of consents, past the account's time for it. */
  evidence(): Promise<void>;
}

const BATCH = 2_000;

async function inBatches(deleteSome: (limit: number) => Promise<number>): Promise<void> {
  while ((await deleteSome(BATCH)) === BATCH);
}

export function createRetentionService(o: {
  readonly store: RetentionStore;
  readonly deliveries: Pick<DeliveryStore, 'deleteOlder'>;
  readonly webhooks: Pick<WebhookStore, 'dropFormerSecrets'>;
  readonly requests: Pick<IdempotencyService, 'purgeExpired'>;
  readonly ledger: Pick<ConsentLedger, 'purgeExpiredEvidence'>;
  readonly clock: Clock;
}): RetentionService {
  const ago = (ms: number) => new Date(o.clock.now() - ms);
  return {
    removals: () => inBatches((limit) => o.store.deleteRemovals(ago(REMOVAL_MEMORY_MS), limit)),
    async devices() {
      await inBatches((limit) => o.store.deleteTombstones(ago(0), limit));
      await inBatches((limit) => o.store.deleteRevokedDevices(ago(WIPE_TOMBSTONE_MS), limit));
    },
    async webhooks() {
      await inBatches((limit) => o.deliveries.deleteOlder(ago(WEBHOOK_DELIVERY_MS), limit));
      await o.webhooks.dropFormerSecrets(ago(0));
    },
    async requests() {
      await o.requests.purgeExpired(ago(0));
    },
    async evidence() {
      await o.ledger.purgeExpiredEvidence();
    },
  };
}
