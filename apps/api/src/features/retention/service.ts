import { ARRIVALS_KEPT_MS, DAY_MS, REMOVAL_MEMORY_MS, WEBHOOK_DELIVERY_MS, WIPE_TOMBSTONE_MS } from '@svc/protocol';
import type { Clock } from '../../platform/ports.ts';
import type { ConsentLedger } from '../consents/ledger.ts';
import type { IdempotencyService } from '../idempotency/service.ts';
import type { DeliveryStore } from '../webhooks/delivery-store.ts';
import type { WebhookStore } from '../webhooks/store.ts';
import type { RetentionStore } from './store.ts';

/** Deletes expired data other than people and lists. Any number of nodes may run these at once. */
export function createRetentionService(o: {
  readonly store: RetentionStore;
  readonly deliveries: Pick<DeliveryStore, 'deleteOlder'>;
  readonly webhooks: Pick<WebhookStore, 'dropFormerSecrets' | 'disableUnfetched'>;
  readonly requests: Pick<IdempotencyService, 'purgeExpired'>;
  readonly ledger: Pick<ConsentLedger, 'purgeExpiredEvidence'>;
  readonly clock: Clock;
}) {
  const ago = (ms: number) => new Date(o.clock.now() - ms);
  return {
    /** Removals of faces, kept for devices that sync late. */
    removals: () => o.store.deleteRemovals(ago(REMOVAL_MEMORY_MS)),
    /** What devices told, and tombstones of devices, kept to tell them to wipe. */
    async devices(): Promise<void> {
      await o.store.deleteAdmissions(ago(0));
      await o.store.deleteTombstones(ago(0));
      await o.store.deleteRevokedDevices(ago(WIPE_TOMBSTONE_MS));
    },
    /** Counts of arrivals at ongoing lists, which no report can change any more. */
    arrivals: () => o.store.deleteArrivals(ago(ARRIVALS_KEPT_MS + DAY_MS)),
    /** Deliveries of webhooks, former webhook secrets, and webhooks that nobody fetches any more. */
    async webhooks(): Promise<void> {
      await o.deliveries.deleteOlder(ago(WEBHOOK_DELIVERY_MS));
      await o.webhooks.dropFormerSecrets(ago(0));
      await o.webhooks.disableUnfetched(ago(DAY_MS), ago(0));
    },
    /** Stored answers to requests with an idempotency key. */
    requests: () => o.requests.purgeExpired(ago(0)),
    /** Evidence of consents, after the account's retention time. */
    evidence: () => o.ledger.purgeExpiredEvidence(),
  };
}
