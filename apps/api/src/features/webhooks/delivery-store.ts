import type { WebhookEventType, webhookDeliveryStates, webhookFailures } from '@svc/protocol';
import type { Connection, Transaction } from '../../db/connection.ts';

type DeliveryState = (typeof webhookDeliveryStates)[number];
export type DeliveryFailure = (typeof webhookFailures)[number];

/** A delivery's name: every key begins with the account. */
export interface DeliveryKey {
  readonly accountId: string;
  readonly webhookId: string;
  readonly deliveryId: string;
}

/** A notification to one webhook, due at once. */
export interface NewDelivery extends DeliveryKey {
  readonly eventType: string;
  /** The body as it is sent; sealed under the account's key where it is about a person. */
  readonly payload: Buffer;
  readonly isSealed: boolean;
  /** Whom it is about, as a pseudonym. */
  readonly personRef: Buffer | null;
  readonly createdAt: Date;
}

/** A delivery as its webhook's owner sees it. */
export interface DeliveryRecord extends DeliveryKey {
  readonly eventType: string;
  readonly state: DeliveryState;
  readonly attempts: number;
  readonly lastAttemptAt: Date | null;
  readonly nextAttemptAt: Date | null;
  readonly lastStatus: number | null;
  readonly lastFailure: DeliveryFailure | null;
  readonly createdAt: Date;
}

export interface DeliveryStore {
  /** Enabled webhooks that ask for a type; they stay until the transaction ends. */
  subscribers(tx: Transaction, accountId: string, type: WebhookEventType): Promise<string[]>;
  insert(tx: Transaction, deliveries: readonly NewDelivery[]): Promise<void>;
  /** Drops the payloads of everything about these people but their deletion; what was pending is not sent any more. */
  forgetPeople(tx: Transaction, accountId: string, personRefs: readonly Buffer[]): Promise<void>;
}

export function createDeliveryStore(connection: Connection): DeliveryStore {
  void connection;
  return {
    async subscribers(tx, accountId, type) {
      const rows: { webhook_id: string }[] = await tx('webhooks')
        .where({ account_id: accountId })
        .whereNull('disabled_at')
        .whereRaw('? = ANY (event_types)', [type])
        .forKeyShare()
        .select('webhook_id');
      return rows.map((row) => row.webhook_id);
    },
    async insert(tx, deliveries) {
      if (deliveries.length === 0) return;
      await tx('webhook_deliveries').insert(
        deliveries.map((delivery) => ({
          account_id: delivery.accountId,
          webhook_id: delivery.webhookId,
          delivery_id: delivery.deliveryId,
          event_type: delivery.eventType,
          payload: delivery.payload,
          payload_sealed: delivery.isSealed,
          person_ref: delivery.personRef,
          state: 'pending',
          next_attempt_at: delivery.createdAt,
          created_at: delivery.createdAt,
        })),
      );
    },
    async forgetPeople(tx, accountId, personRefs) {
      await tx('webhook_deliveries')
        .where({ account_id: accountId })
        .whereIn('person_ref', [...personRefs])
        .whereNot({ event_type: 'person.deleted' })
        .update({
          payload: null,
          last_failure: tx.raw("CASE state WHEN 'pending' THEN 'erased' ELSE last_failure END"),
          next_attempt_at: null,
          state: tx.raw("CASE state WHEN 'pending' THEN 'dead' ELSE state END"),
        });
    },
  };
}
