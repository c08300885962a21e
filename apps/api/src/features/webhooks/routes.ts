import { mapPage } from '../../platform/paging.ts';
import { type Handlers, pick } from '../handlers.ts';
import type { DeliveryRecord } from './delivery-store.ts';
import type { CreatedSecret, RotatedSecret, WebhookService } from './service.ts';
import type { WebhookRecord } from './store.ts';

const toResource = (webhook: WebhookRecord) => ({
  ...pick(webhook, ['webhookId', 'url', 'delivery', 'eventTypes', 'createdAt']),
  enabled: webhook.disabled === null,
  disabledReason: webhook.disabled?.reason ?? null,
});

const toDelivery = (delivery: DeliveryRecord) =>
  pick(
    delivery,
    ['deliveryId', 'eventType', 'state', 'attempts', 'lastAttemptAt', 'nextAttemptAt'],
    ['lastStatus', 'lastFailure', 'createdAt'],
  );

export const webhookHandlers = (o: { readonly webhooks: WebhookService }) =>
  ({
    createWebhook: ({ caller, body, once }) =>
      once(
        (remember) => o.webhooks.create(caller, body, remember),
        ({ webhook, secret }: CreatedSecret) => ({
          location: `/v1/webhooks/${webhook.webhookId}`,
          body: { ...toResource(webhook), secret },
          secretOf: webhook.webhookId,
        }),
      ),
    listWebhooks: async ({ caller, query }) => mapPage(await o.webhooks.page(caller, query), toResource),
    getWebhook: async ({ caller, params }) => toResource(await o.webhooks.get(caller, params.webhookId)),
    updateWebhook: async ({ caller, params, body }) =>
      toResource(await o.webhooks.update(caller, params.webhookId, body)),
    deleteWebhook: ({ caller, params }) => o.webhooks.delete(caller, params.webhookId),
    rotateWebhookSecret: ({ caller, params: { webhookId }, once }) =>
      once(
        (remember) => o.webhooks.rotateSecret(caller, webhookId, remember),
        (rotated: RotatedSecret) => ({ body: rotated, secretOf: webhookId }),
      ),
    // Without a kept answer: a repeat fetches what is pending now.
    pullWebhookEvents: async ({ caller, params, body }) => ({
      body: {
        items: await o.webhooks.pull(
          caller,
          params.webhookId,
          body.taken?.map(({ deliveryId }) => deliveryId),
        ),
      },
    }),
    testWebhook: ({ caller, params, once }) =>
      once(
        (remember) => o.webhooks.test(caller, params.webhookId, remember),
        (delivery: DeliveryRecord) => ({ body: toDelivery(delivery) }),
      ),
    listWebhookDeliveries: async ({ caller, params, query }) =>
      mapPage(await o.webhooks.deliveries(caller, params.webhookId, query), toDelivery),
    replayWebhookDelivery: ({ caller, params, once }) =>
      once(
        (remember) => o.webhooks.replay(caller, params.webhookId, params.deliveryId, remember),
        (delivery: DeliveryRecord) => ({ body: toDelivery(delivery) }),
      ),
  }) satisfies Partial<Handlers>;
