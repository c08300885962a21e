import { webhookEventTypes } from '../../schemas/webhooks.ts';
import { exampleId, type Operation, PAGE, page, pathId } from '../operation.ts';

const webhookId = pathId('webhookId', 'identifier of the webhook');
const deliveryId = pathId('deliveryId', 'identifier of the delivery');

const EXAMPLE_WEBHOOK = {
  webhookId: exampleId('whk'),
  url: 'https://example.com/hooks/check-in',
  eventTypes: ['person.enrolled', 'person.deleted'],
  enabled: true,
  disabledReason: null,
  createdAt: '2026-05-01T18:30:00.000Z',
};
const EXAMPLE_SECRET = 'whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=';

const EXAMPLE_DELIVERY = {
  deliveryId: exampleId('dlv'),
  eventType: 'person.enrolled',
  state: 'pending',
  attempts: 2,
  lastAttemptAt: '2026-05-01T18:30:06.000Z',
  nextAttemptAt: '2026-05-01T18:35:20.000Z',
  lastStatus: 503,
  lastFailure: 'status',
  createdAt: '2026-05-01T18:30:00.000Z',
};

const endpoints: readonly Operation[] = [
  {
    method: 'post',
    path: '/v1/webhooks',
    operationId: 'createWebhook',
    tag: 'Webhooks',
    summary: 'Create a webhook',
    description: `Notifications are sent to \`url\` as POST requests, signed by the Standard Webhooks scheme with the secret of the answer, which is shown this once. Event types: ${webhookEventTypes.map((type) => `\`${type}\``).join(', ')}. An account may have 20 webhooks.`,
    security: 'apiKey',
    request: {
      schema: 'CreateWebhookRequest',
      required: true,
      example: { url: EXAMPLE_WEBHOOK.url, eventTypes: EXAMPLE_WEBHOOK.eventTypes },
    },
    success: {
      status: 201,
      description: 'created; the secret is shown this once',
      schema: 'CreatedWebhook',
      headers: { Location: 'path of the webhook' },
      example: { ...EXAMPLE_WEBHOOK, secret: EXAMPLE_SECRET },
    },
    errors: ['webhook-limit-reached'],
  },
  {
    method: 'get',
    path: '/v1/webhooks',
    operationId: 'listWebhooks',
    tag: 'Webhooks',
    summary: 'List webhooks',
    description: 'One page of the account’s webhooks, newest first, without their secrets.',
    security: 'apiKey',
    parameters: page,
    success: {
      status: 200,
      description: 'a page of webhooks',
      schema: 'WebhookCollection',
      example: { items: [EXAMPLE_WEBHOOK], nextCursor: null },
    },
    errors: [...PAGE],
  },
  {
    method: 'get',
    path: '/v1/webhooks/{webhookId}',
    operationId: 'getWebhook',
    tag: 'Webhooks',
    summary: 'Read a webhook',
    description: 'Whether it is enabled, and why not. Its secret is never shown again.',
    security: 'apiKey',
    parameters: [webhookId],
    success: { status: 200, description: 'the webhook', schema: 'Webhook', example: EXAMPLE_WEBHOOK },
    errors: ['not-found'],
  },
  {
    method: 'patch',
    path: '/v1/webhooks/{webhookId}',
    operationId: 'updateWebhook',
    tag: 'Webhooks',
    summary: 'Change, disable or enable a webhook',
    description:
      'What is absent stays. A disabled webhook is told of nothing that happens meanwhile; deliveries that were pending wait, and go on when it is enabled again. A new address is where pending deliveries go too.',
    security: 'apiKey',
    parameters: [webhookId],
    request: { schema: 'UpdateWebhookRequest', required: true, example: { enabled: false } },
    success: {
      status: 200,
      description: 'the webhook as it is now',
      schema: 'Webhook',
      example: { ...EXAMPLE_WEBHOOK, enabled: false, disabledReason: 'owner' },
    },
    errors: ['not-found'],
  },
  {
    method: 'delete',
    path: '/v1/webhooks/{webhookId}',
    operationId: 'deleteWebhook',
    tag: 'Webhooks',
    summary: 'Delete a webhook',
    description: 'With its deliveries; what was pending is not sent any more.',
    security: 'apiKey',
    parameters: [webhookId],
    success: { status: 204, description: 'deleted' },
    errors: ['not-found'],
  },
  {
    method: 'post',
    path: '/v1/webhooks/{webhookId}/rotate-secret',
    operationId: 'rotateWebhookSecret',
    tag: 'Webhooks',
    summary: 'Rotate a webhook’s secret',
    description:
      'From now on the new secret signs. For 24 hours notifications bear a second signature of the former one, so that a receiver can change over without refusing any.',
    security: 'apiKey',
    parameters: [webhookId],
    success: {
      status: 200,
      description: 'the new secret, shown this once',
      schema: 'RotatedWebhookSecret',
      example: { secret: EXAMPLE_SECRET, formerSecretValidUntil: '2026-05-02T18:30:00.000Z' },
    },
    errors: ['not-found'],
  },
];

const deliveries: readonly Operation[] = [
  {
    method: 'post',
    path: '/v1/webhooks/{webhookId}/test',
    operationId: 'testWebhook',
    tag: 'Webhooks',
    summary: 'Send a test notification',
    description:
      'Its type is `webhook.test`, and it is delivered like any other: the list of deliveries tells what came of it.',
    security: 'apiKey',
    parameters: [webhookId],
    success: { status: 202, description: 'on its way', schema: 'WebhookDelivery', example: EXAMPLE_DELIVERY },
    errors: ['not-found', 'webhook-disabled'],
  },
  {
    method: 'get',
    path: '/v1/webhooks/{webhookId}/deliveries',
    operationId: 'listWebhookDeliveries',
    tag: 'Webhooks',
    summary: 'List the deliveries of a webhook',
    description:
      'One page, newest first, of what was sent or is to be sent in the last 30 days; with `state=dead` those that were given up. What they say is not shown.',
    security: 'apiKey',
    parameters: [
      webhookId,
      ...page,
      {
        name: 'state',
        in: 'query',
        required: false,
        description: 'only deliveries in this state',
        schema: { type: 'string', enum: ['pending', 'delivered', 'dead'] },
      },
    ],
    success: {
      status: 200,
      description: 'a page of deliveries',
      schema: 'WebhookDeliveryCollection',
      example: { items: [EXAMPLE_DELIVERY], nextCursor: null },
    },
    errors: [...PAGE, 'not-found'],
  },
  {
    method: 'post',
    path: '/v1/webhooks/{webhookId}/deliveries/{deliveryId}/replay',
    operationId: 'replayWebhookDelivery',
    tag: 'Webhooks',
    summary: 'Send a delivery again',
    description:
      'Whatever its state, it becomes due now, with as many attempts as a new one, and keeps its `webhook-id`: a receiver that has seen it knows it. Notifications about people who have been deleted since are gone.',
    security: 'apiKey',
    parameters: [webhookId, deliveryId],
    success: { status: 202, description: 'on its way', schema: 'WebhookDelivery', example: EXAMPLE_DELIVERY },
    errors: ['not-found', 'webhook-disabled', 'delivery-erased'],
  },
];

export const webhookOperations: readonly Operation[] = [...endpoints, ...deliveries];
