import type { WebhookEventType, WebhookNotificationBody } from '@svc/protocol';
import type { AccountVault } from '../../crypto/account-vault.ts';
import type { Transaction } from '../../db/connection.ts';
import type { Clock, Ids } from '../../platform/ports.ts';
import type { DeliveryStore, NewDelivery } from './delivery-store.ts';

type DataOf<Type> = Extract<WebhookNotificationBody, { readonly type: Type }>['data'];

type Happened<Types> = Types extends WebhookEventType
  ? {
      readonly type: Types;
      readonly accountId: string;
      /** Becomes the notification's `data` unchanged. */
      readonly data: DataOf<Types>;
    }
  : never;

/** Ended by its owner, deleted, or past its deadline. */
export type ListEndReason = DataOf<'list.ended'>['reason'];

/** Events of a person: `personId` and `ticketId` are the organiser's own identifiers. */
export type PersonEvent = Happened<'person.enrolled' | 'person.declined' | 'person.deleted'>;

/** Events without data about a person. */
type ImpersonalEvent = Happened<Exclude<WebhookEventType, PersonEvent['type']>>;

/**
 * Where services publish events. An event becomes deliveries in the transaction of the effect itself, so that both are
 * committed or neither. Nothing is written unless a webhook subscribes to it.
 */
export type Outbox = ReturnType<typeof createOutbox>;

/** `{ type, timestamp, data }`, as in Standard Webhooks. */
function payloadOf({ type, data }: ImpersonalEvent | PersonEvent, at: Date): Buffer {
  return Buffer.from(JSON.stringify({ type, timestamp: at.toISOString(), data }), 'utf8');
}

function personRefOf(vault: AccountVault, { data }: PersonEvent): Buffer {
  return vault.webhookPseudonym(data.listId, 'personId' in data ? data.personId : data.ticketId);
}

export function createOutbox(o: {
  readonly deliveries: Pick<DeliveryStore, 'subscribers' | 'insert' | 'forgetPeople' | 'forgetList'>;
  readonly ids: Ids;
  readonly clock: Clock;
}) {
  return {
    /** Publishes what happened to an organiser's event, a list or a device. */
    async publish(tx: Transaction, event: ImpersonalEvent): Promise<void> {
      const { accountId, type } = event;
      const createdAt = new Date(o.clock.now());
      const common = { accountId, eventType: type, payload: payloadOf(event, createdAt), createdAt };
      const webhookIds = await o.deliveries.subscribers(tx, accountId, type);
      const deliveries = webhookIds.map(
        (webhookId): NewDelivery => ({
          ...common,
          webhookId,
          deliveryId: o.ids.next('dlv'),
          isSealed: false,
          person: null,
        }),
      );
      await o.deliveries.insert(tx, deliveries);
    },
    /**
     * Publishes events of people, sealed. A person's deletion erases the payloads of all earlier events about the person.
     * @param vault of the events' account, not closed here
     * @param events of one account and one type
     */
    async publishAboutPeople(tx: Transaction, vault: AccountVault, events: readonly PersonEvent[]): Promise<void> {
      const [first] = events;
      if (first === undefined) return;
      const { accountId, type } = first;
      const createdAt = new Date(o.clock.now());
      const told = events.map((event) => ({
        payload: payloadOf(event, createdAt),
        person: { listId: event.data.listId, ref: personRefOf(vault, event) },
      }));
      if (type === 'person.deleted') {
        const refs = told.map(({ person }) => person.ref);
        await o.deliveries.forgetPeople(tx, accountId, refs);
      }
      const webhookIds = await o.deliveries.subscribers(tx, accountId, type);
      const deliveries = webhookIds.flatMap((webhookId) =>
        told.map(({ payload, person }): NewDelivery => {
          const deliveryId = o.ids.next('dlv');
          const sealed = vault.sealWebhook(deliveryId, payload);
          return {
            accountId,
            webhookId,
            deliveryId,
            eventType: type,
            payload: sealed,
            isSealed: true,
            person,
            createdAt,
          };
        }),
      );
      await o.deliveries.insert(tx, deliveries);
    },
    /** Erases the payloads about all people of a deleted list, except the notifications of their deletion. */
    forgetList: (tx: Transaction, list: { readonly accountId: string; readonly listId: string }): Promise<void> =>
      o.deliveries.forgetList(tx, list),
  };
}
