import type {
  CreatedWebhook,
  CreateWebhookRequest,
  RotatedWebhookSecret,
  UpdateWebhookRequest,
  WebhookDeliveryResource,
  WebhookDeliveryState,
  WebhookResource,
} from '@svc/protocol';
import { type CallOptions, type Http, type PostOptions, pathOf } from '../http.ts';
import type { Collection, PageRequest } from '../pages.ts';

export interface WebhookMethods {
  /** The signing secret is in the answer this once. */
  createWebhook(webhook: CreateWebhookRequest, options?: PostOptions): Promise<CreatedWebhook>;
  /** Newest first. */
  listWebhooks(query?: PageRequest, options?: CallOptions): Collection<WebhookResource>;
  getWebhook(webhookId: string, options?: CallOptions): Promise<WebhookResource>;
  /** What is absent stays. */
  updateWebhook(webhookId: string, changes: UpdateWebhookRequest, options?: CallOptions): Promise<WebhookResource>;
  deleteWebhook(webhookId: string, options?: CallOptions): Promise<void>;
  /** For 24 hours notifications bear a signature of either secret. */
  rotateWebhookSecret(webhookId: string, options?: PostOptions): Promise<RotatedWebhookSecret>;
  testWebhook(webhookId: string, options?: PostOptions): Promise<WebhookDeliveryResource>;
  /** Newest first; `state: 'dead'` for those that were given up. */
  listWebhookDeliveries(
    webhookId: string,
    query?: PageRequest & { readonly state?: WebhookDeliveryState | undefined },
    options?: CallOptions,
  ): Collection<WebhookDeliveryResource>;
  replayWebhookDelivery(webhookId: string, deliveryId: string, options?: PostOptions): Promise<WebhookDeliveryResource>;
}

export const webhookMethods = (http: Http): WebhookMethods => ({
  createWebhook: (body, options) => http.json({ method: 'POST', path: '/v1/webhooks', body, options }),
  listWebhooks: (query, options) => http.collection('/v1/webhooks', query, options),
  getWebhook: (webhookId, options) => http.json({ method: 'GET', path: pathOf`/v1/webhooks/${webhookId}`, options }),
  updateWebhook: (webhookId, body, options) =>
    http.json({ method: 'PATCH', path: pathOf`/v1/webhooks/${webhookId}`, body, options }),
  deleteWebhook: (webhookId, options) =>
    http.empty({ method: 'DELETE', path: pathOf`/v1/webhooks/${webhookId}`, options }),
  rotateWebhookSecret: (webhookId, options) =>
    http.json({ method: 'POST', path: pathOf`/v1/webhooks/${webhookId}/rotate-secret`, options }),
  testWebhook: (webhookId, options) =>
    http.json({ method: 'POST', path: pathOf`/v1/webhooks/${webhookId}/test`, options }),
  listWebhookDeliveries: (webhookId, query, options) =>
    http.collection(pathOf`/v1/webhooks/${webhookId}/deliveries`, query, options),
  replayWebhookDelivery: (webhookId, deliveryId, options) =>
    http.json({ method: 'POST', path: pathOf`/v1/webhooks/${webhookId}/deliveries/${deliveryId}/replay`, options }),
});
