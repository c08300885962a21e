import {
  type CreatedWebhook,
  createWebhookRequestSchema,
  pageQuerySchema,
  type RotatedWebhookSecret,
  updateWebhookRequestSchema,
  type WebhookDeliveryResource,
  type WebhookResource,
  webhookDeliveryQuerySchema,
} from '@svc/protocol';
import type { Router } from 'express';
import type { Answer } from '../../http/answer.ts';
import type { Guard } from '../../http/guard.ts';
import { pathParameter, readQuery } from '../../http/query.ts';
import { mount } from '../../http/routing.ts';
import type { AccountCaller } from '../accounts/service.ts';
import type { DeliveryRecord } from './delivery-store.ts';
import type { CreatedSecret, RotatedSecret, WebhookService } from './service.ts';
import type { WebhookRecord } from './store.ts';

const toResource = (webhook: WebhookRecord): WebhookResource => ({
  webhookId: webhook.webhookId,
  url: webhook.url,
  eventTypes: [...webhook.eventTypes],
  enabled: webhook.disabled === null,
  disabledReason: webhook.disabled?.reason ?? null,
  createdAt: webhook.createdAt.toISOString(),
});

const toDelivery = (delivery: DeliveryRecord): WebhookDeliveryResource => ({
  deliveryId: delivery.deliveryId,
  eventType: delivery.eventType,
  state: delivery.state,
  attempts: delivery.attempts,
  lastAttemptAt: delivery.lastAttemptAt?.toISOString() ?? null,
  nextAttemptAt: delivery.nextAttemptAt?.toISOString() ?? null,
  lastStatus: delivery.lastStatus,
  lastFailure: delivery.lastFailure,
  createdAt: delivery.createdAt.toISOString(),
});

function toCreated({ webhook, secret }: CreatedSecret): Answer {
  const body: CreatedWebhook = { ...toResource(webhook), secret };
  const { webhookId } = webhook;
  return { status: 201, location: `/v1/webhooks/${webhookId}`, body, secretOf: webhookId };
}

const toRotated = ({ secret, formerSecretValidUntil }: RotatedSecret): RotatedWebhookSecret => ({
  secret,
  formerSecretValidUntil: formerSecretValidUntil.toISOString(),
});

interface Parts {
  readonly webhooks: WebhookService;
  readonly account: Guard<AccountCaller>;
}

export function mountWebhooks(router: Router, o: Parts): void {
  mount(router, '/v1/webhooks', {
    get: o.account.call(async ({ caller, request, response }) => {
      const page = await o.webhooks.page(caller, readQuery(request, pageQuerySchema));
      response.json({ items: page.items.map(toResource), nextCursor: page.nextCursor });
    }),
    post: o.account.post(async ({ caller, body, once }) => {
      const webhook = await body(createWebhookRequestSchema);
      return once((remember) => o.webhooks.create(caller, webhook, remember), toCreated);
    }),
  });
  mount(router, '/v1/webhooks/:webhookId', {
    get: o.account.call(async ({ caller, request, response }) => {
      response.json(toResource(await o.webhooks.get(caller, pathParameter(request, 'webhookId'))));
    }),
    patch: o.account.call(async ({ caller, body, request, response }) => {
      const changes = await body(updateWebhookRequestSchema);
      response.json(toResource(await o.webhooks.update(caller, pathParameter(request, 'webhookId'), changes)));
    }),
    delete: o.account.call(async ({ caller, request, response }) => {
      await o.webhooks.delete(caller, pathParameter(request, 'webhookId'));
      response.status(204).end();
    }),
  });
  mount(router, '/v1/webhooks/:webhookId/rotate-secret', {
    post: o.account.post(({ caller, request, once }) => {
      const webhookId = pathParameter(request, 'webhookId');
      return once(
        (remember) => o.webhooks.rotateSecret(caller, webhookId, remember),
        (rotated: RotatedSecret) => ({ status: 200, body: toRotated(rotated), secretOf: webhookId }),
      );
    }),
  });
  mountDeliveries(router, o);
}

function mountDeliveries(router: Router, o: Parts): void {
  mount(router, '/v1/webhooks/:webhookId/test', {
    post: o.account.post(({ caller, request, once }) =>
      once(
        (remember) => o.webhooks.test(caller, pathParameter(request, 'webhookId'), remember),
        (delivery: DeliveryRecord) => ({ status: 202, body: toDelivery(delivery) }),
      ),
    ),
  });
  mount(router, '/v1/webhooks/:webhookId/deliveries', {
    get: o.account.call(async ({ caller, request, response }) => {
      const query = readQuery(request, webhookDeliveryQuerySchema);
      const page = await o.webhooks.deliveries(caller, pathParameter(request, 'webhookId'), query);
      response.json({ items: page.items.map(toDelivery), nextCursor: page.nextCursor });
    }),
  });
  mount(router, '/v1/webhooks/:webhookId/deliveries/:deliveryId/replay', {
    post: o.account.post(({ caller, request, once }) => {
      const [webhookId, deliveryId] = [pathParameter(request, 'webhookId'), pathParameter(request, 'deliveryId')];
      return once(
        (remember) => o.webhooks.replay(caller, webhookId, deliveryId, remember),
        (delivery: DeliveryRecord) => ({ status: 202, body: toDelivery(delivery) }),
      );
    }),
  });
}
