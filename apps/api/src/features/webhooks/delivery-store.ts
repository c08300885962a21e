import type { WEBHOOK_TEST_TYPE, WebhookDeliveryState, WebhookEventType, WebhookFailure } from '@svc/protocol';
import { changeDueRows } from '../../db/by-account.ts';
import { aliases, columnsOf, toRow } from '../../db/columns.ts';
import type { Connection, Transaction } from '../../db/connection.ts';

export type DeliveryType = WebhookEventType | typeof WEBHOOK_TEST_TYPE;

/** Key of a webhook; every primary key begins with the account. */
export interface WebhookKey {
  readonly accountId: string;
  readonly webhookId: string;
}

export interface DeliveryKey extends WebhookKey {
  readonly deliveryId: string;
}

/** A notification to one webhook, due immediately. */
export interface NewDelivery extends DeliveryKey {
  readonly eventType: DeliveryType;
  /** The body to send; sealed with the account's key when it is about a person. */
  readonly payload: Buffer;
  readonly isSealed: boolean;
  /** The person that it is about; null for none. */
  readonly person: { readonly listId: string; readonly ref: Buffer } | null;
  readonly createdAt: Date;
}

/** A delivery as its webhook's owner sees it. */
export interface DeliveryRecord extends DeliveryKey {
  readonly eventType: DeliveryType;
  readonly state: WebhookDeliveryState;
  readonly attempts: number;
  readonly lastAttemptAt: Date | null;
  readonly nextAttemptAt: Date | null;
  readonly lastStatus: number | null;
  readonly lastFailure: WebhookFailure | null;
  readonly createdAt: Date;
}

const SHOWN = columnsOf<DeliveryRecord>()(
  ['accountId', 'webhookId', 'deliveryId', 'eventType', 'state', 'attempts'],
  ['lastAttemptAt', 'nextAttemptAt', 'lastStatus', 'lastFailure', 'createdAt'],
);
/** What is to be fetched of a delivery. */
type PendingDelivery = Pick<NewDelivery, 'deliveryId' | 'payload' | 'isSealed'>;
const PENDING = { deliveryId: 'delivery_id', payload: 'payload', isSealed: 'payload_sealed' };
const INSERT_ROWS = 1000;

const where = ({ accountId, webhookId, deliveryId }: DeliveryKey) => toRow({ accountId, webhookId, deliveryId });

export type DeliveryStore = ReturnType<typeof createDeliveryStore>;

const DELETE_OLDER = changeDueRows({
  table: 'webhook_deliveries',
  key: { webhook_id: 'text', delivery_id: 'text' },
  due: 'created_at <= :before',
  order: 'created_at',
  change: 'DELETE FROM webhook_deliveries',
});

/** The notification of a deletion is all that may still be sent about a deleted person. */
const TOLD_ELSE = `event_type <> 'person.deleted'`;
const forgotten = (tx: Transaction) => ({
  payload: null,
  person_ref: null,
  list_id: null,
  last_failure: tx.raw("CASE WHEN state = 'pending' THEN 'erased' ELSE last_failure END"),
  next_attempt_at: null,
  state: tx.raw("CASE WHEN state = 'pending' THEN 'dead' ELSE state END"),
});

export function createDeliveryStore(connection: Connection) {
  return {
    /** Enabled webhooks subscribed to a type; locked until the transaction ends. */
    async subscribers(tx: Transaction, accountId: string, type: WebhookEventType): Promise<string[]> {
      const rows: { webhook_id: string }[] = await tx('webhooks')
        .where({ account_id: accountId })
        .whereNull('disabled_at')
        .whereRaw('? = ANY (event_types)', [type])
        .forKeyShare()
        .select('webhook_id');
      return rows.map((row) => row.webhook_id);
    },
    async insert(tx: Transaction, deliveries: readonly NewDelivery[]): Promise<void> {
      for (let at = 0; at < deliveries.length; at += INSERT_ROWS) {
        const rows = deliveries.slice(at, at + INSERT_ROWS).map((delivery) => ({
          ...where(delivery),
          event_type: delivery.eventType,
          payload: delivery.payload,
          payload_sealed: delivery.isSealed,
          person_ref: delivery.person?.ref ?? null,
          list_id: delivery.person?.listId ?? null,
          state: 'pending',
          next_attempt_at: delivery.createdAt,
          created_at: delivery.createdAt,
        }));
        await tx('webhook_deliveries').insert(rows);
      }
    },
    /** Drops the payloads of deliveries about these people, except their deletion; pending ones are not sent any more. */
    async forgetPeople(tx: Transaction, accountId: string, personRefs: readonly Buffer[]): Promise<void> {
      const rows = tx('webhook_deliveries').where({ account_id: accountId });
      await rows
        .whereIn('person_ref', [...personRefs])
        .whereRaw(TOLD_ELSE)
        .update(forgotten(tx));
    },
    /** The same for all people of a list. */
    async forgetList(tx: Transaction, { accountId, listId }: { readonly accountId: string; readonly listId: string }) {
      const rows = tx('webhook_deliveries').where({ account_id: accountId, list_id: listId });
      await rows.whereRaw(TOLD_ELSE).update(forgotten(tx));
    },
    /** Newest first, older than `before`. */
    async page(
      { accountId, webhookId }: WebhookKey,
      state: WebhookDeliveryState | undefined,
      before: string | undefined,
      rows: number,
    ): Promise<DeliveryRecord[]> {
      const query = connection('webhook_deliveries').where({ account_id: accountId, webhook_id: webhookId });
      if (state !== undefined) query.where({ state });
      if (before !== undefined) query.where('delivery_id', '<', before);
      return query.orderBy('delivery_id', 'desc').limit(rows).select(SHOWN);
    },
    /** Of a webhook whose notifications are fetched: those that arrived are done. @returns how many that are */
    markTaken(tx: Transaction, { accountId, webhookId }: WebhookKey, deliveryIds: readonly string[], at: Date) {
      const taken = tx('webhook_deliveries').where({ account_id: accountId, webhook_id: webhookId, state: 'pending' });
      return taken.whereRaw('delivery_id = ANY (?)', [[...deliveryIds]]).update({
        ...{ state: 'delivered', attempts: tx.raw('attempts + 1'), last_attempt_at: at, next_attempt_at: null },
        // No data about a deleted person is kept after the notification of the deletion.
        payload: tx.raw(`CASE WHEN ${TOLD_ELSE} THEN payload END`),
        person_ref: tx.raw(`CASE WHEN ${TOLD_ELSE} THEN person_ref END`),
        list_id: tx.raw(`CASE WHEN ${TOLD_ELSE} THEN list_id END`),
      });
    },
    /** The oldest that are pending. */
    async pending(tx: Transaction, { accountId, webhookId }: WebhookKey, limit: number): Promise<PendingDelivery[]> {
      const pending = tx('webhook_deliveries').where({
        account_id: accountId,
        webhook_id: webhookId,
        state: 'pending',
      });
      return pending.whereNotNull('payload').orderBy('delivery_id').limit(limit).select(PENDING);
    },
    /**
     * Makes a delivery due now with all its attempts.
     * @returns null when there is none, 'erased' when its payload was erased
     */
    async replay(tx: Transaction, key: DeliveryKey, now: Date): Promise<DeliveryRecord | 'erased' | null> {
      const [delivery]: DeliveryRecord[] = await tx('webhook_deliveries')
        .where(where(key))
        .whereNotNull('payload')
        .update({ state: 'pending', attempts: 0, next_attempt_at: now })
        .returning(aliases(SHOWN));
      if (delivery !== undefined) return delivery;
      return (await tx('webhook_deliveries').where(where(key)).first('delivery_id')) === undefined ? null : 'erased';
    },
    /** Deletes deliveries made before a time, in any state. */
    deleteOlder: (before: Date) => DELETE_OLDER(connection, { before }),
  };
}
