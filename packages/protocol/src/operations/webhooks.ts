import * as z from 'zod';
import {
  exampleId,
  idSchema,
  modelIdSchema,
  pageQuerySchema,
  requestSchemas,
  responseSchemas,
  timestampSchema,
} from '../common.ts';
import { MAX_PULLED_EVENTS, MAX_WEBHOOK_URL_CHARS } from '../limits.ts';
import { wipeReasons } from '../sync.ts';
import type { Descriptions } from './descriptions.ts';
import { personIdSchema } from './people.ts';

/** Notification types that a webhook can subscribe to. */
export const webhookEventTypes = [
  'event.created',
  'event.updated',
  'event.ended',
  'event.deleted',
  'person.enrolled',
  'person.declined',
  'person.deleted',
  'list.created',
  'list.closed',
  'list.ended',
  'list.resumed',
  'device.added',
  'device.revoked',
  'device.synced-late',
  'device.wipe-sent',
] as const;
export type WebhookEventType = (typeof webhookEventTypes)[number];

/** Type of a test notification; needs no subscription. */
export const WEBHOOK_TEST_TYPE = 'webhook.test';

const event = { eventId: idSchema('evt') };
const list = { listId: idSchema('lst') };
const person = { ...list, personId: personIdSchema };
const device = { ...list, deviceId: idSchema('dev') };

/** `data` of a notification by type; `personId` and `ticketId` are the organiser's own identifiers. */
const notificationData = {
  'event.created': z.object(event).describe('An event was created'),
  'event.updated': z.object(event).describe('An event, or who the widget says the organiser is, was changed'),
  'event.ended': z
    .object({ ...event, endsAt: timestampSchema })
    .describe('The end of an event has passed; told again if it was moved and passes again'),
  'event.deleted': z.object(event).describe('An event was deleted'),
  'person.enrolled': z
    .object({ ...person, modelId: modelIdSchema, deleteAfter: timestampSchema })
    .describe('A person was enrolled, or the face replaced'),
  'person.declined': z
    .object({ ...list, ...event, ticketId: personIdSchema })
    .describe('A guest said no in the widget'),
  'person.deleted': z
    .object({ ...person, reason: z.enum(['erased', 'consent-withdrawn', 'expired']) })
    .describe('A face is gone'),
  'list.created': z
    .object({ ...list, eventId: event.eventId.nullable().describe('null for an ongoing list') })
    .describe('A list was created'),
  'list.closed': z.object(list).describe('Enrolment was closed'),
  'list.ended': z
    .object({ ...list, reason: z.enum(['ended', 'deleted', 'retention-deadline']) })
    .describe('A list has ended; told once'),
  'list.resumed': z.object(list).describe('The end of a list was taken back'),
  'device.added': z.object(device).describe('A device was added'),
  'device.revoked': z.object(device).describe('A device was revoked'),
  'device.synced-late': z
    .object({ ...device, lastSyncAt: timestampSchema, syncedAt: timestampSchema })
    .describe('A device came back after its lease of 24 hours had run out'),
  'device.wipe-sent': z
    .object({ ...device, reason: z.enum(wipeReasons) })
    .describe('A device was sent a signed wipe; told once for each reason'),
  [WEBHOOK_TEST_TYPE]: z.object({ webhookId: idSchema('whk') }).describe('A test was asked for'),
} satisfies Readonly<Record<WebhookEventType | typeof WEBHOOK_TEST_TYPE, z.ZodObject>>;

/** Body of a notification, by its type. */
export type WebhookNotificationBody = {
  [Type in keyof typeof notificationData]: {
    readonly type: Type;
    /** When it happened; ISO 8601, UTC. */
    readonly timestamp: string;
    readonly data: Readonly<z.output<(typeof notificationData)[Type]>>;
  };
}[keyof typeof notificationData];

/** `{ type, timestamp, data }`, as in Standard Webhooks. */
export const webhookNotificationSchema = z
  .union(
    Object.entries(notificationData).map(([type, data]) =>
      z.object({ type: z.literal(type), timestamp: timestampSchema, data }),
    ),
  )
  .register(responseSchemas, { id: 'WebhookNotification' }) as z.ZodType<WebhookNotificationBody>;

/** Trigger of each notification type. */
export const webhookNotifications: Readonly<Record<string, string>> = /* @__PURE__ */ Object.fromEntries(
  Object.entries(notificationData).map(([type, data]) => [type, data.meta()?.description ?? '']),
);

const eventTypesSchema = z
  .array(z.enum(webhookEventTypes))
  .min(1)
  .max(webhookEventTypes.length)
  .refine((types) => new Set(types).size === types.length, { error: 'must name each type only once' })
  .meta({ uniqueItems: true, description: 'types to be notified of' });

/** URL parsers drop control characters and replace lone surrogates; the database does not accept all of them. */
const PLAIN = /^[^\p{Cc}\p{Cs}]*$/u;

const urlSchema = z
  .url({ protocol: /^https?$/ })
  .max(MAX_WEBHOOK_URL_CHARS)
  .refine((url) => PLAIN.test(url), { error: 'must not contain control characters or lone surrogates' })
  .meta({
    format: 'uri',
    description:
      'without user, password and fragment; where notifications are sent: https, port 443 unless the deployment allows others, and a public address',
    examples: ['https://example.com/hooks/check-in'],
  });

const deliverySchema = z
  .enum(['push', 'pull'])
  .describe(
    'push: notifications are sent to the URL. pull: nothing is sent, and `…/pull` fetches them, so that the URL may also be http, or on the caller’s own machine',
  );
export type WebhookMethod = z.infer<typeof deliverySchema>;

/** Body of creating a webhook; without `eventTypes` it gets all types that exist at that time. */
export const createWebhookRequestSchema = z
  .object({ url: urlSchema, eventTypes: eventTypesSchema.optional(), delivery: deliverySchema.optional() })
  .register(requestSchemas, { id: 'CreateWebhookRequest' });
export type CreateWebhookRequest = z.infer<typeof createWebhookRequestSchema>;

/** Body of changing a webhook; absent fields stay. */
export const updateWebhookRequestSchema = z
  .object({ url: urlSchema.optional(), eventTypes: eventTypesSchema.optional(), enabled: z.boolean().optional() })
  .register(requestSchemas, { id: 'UpdateWebhookRequest' });
export type UpdateWebhookRequest = z.infer<typeof updateWebhookRequestSchema>;

const webhookSchema = z
  .object({
    webhookId: idSchema('whk'),
    url: z.string(),
    delivery: deliverySchema,
    eventTypes: z.array(z.enum(webhookEventTypes)),
    enabled: z.boolean(),
    disabledReason: z
      .enum(['owner', 'gone', 'failing'])
      .nullable()
      .describe(
        'owner: by request; gone: the receiver answered 410; failing: nothing was taken for days, or fetched for a day; null while enabled',
      ),
    createdAt: timestampSchema,
  })
  .register(responseSchemas, { id: 'Webhook' });
export type WebhookResource = z.infer<typeof webhookSchema>;

export const webhookSecretSchema = z
  .string()
  .meta({ pattern: '^whsec_[A-Za-z0-9+/]{43}=$', description: 'signing secret of Standard Webhooks; shown once' });

/** Answer of creating a webhook; the secret is never shown again. */
const createdWebhookSchema = webhookSchema
  .extend({ secret: webhookSecretSchema })
  .register(responseSchemas, { id: 'CreatedWebhook' });
export type CreatedWebhook = z.infer<typeof createdWebhookSchema>;

/** Answer of a rotation: until `formerSecretValidUntil` each notification is signed with both secrets. */
const rotatedWebhookSecretSchema = z
  .object({ secret: webhookSecretSchema, formerSecretValidUntil: timestampSchema })
  .register(responseSchemas, { id: 'RotatedWebhookSecret' });
export type RotatedWebhookSecret = z.infer<typeof rotatedWebhookSecretSchema>;

const webhookDeliveryStates = ['pending', 'delivered', 'dead'] as const;
export type WebhookDeliveryState = (typeof webhookDeliveryStates)[number];
/**
 * Why the last attempt failed: `status` for an answer other than 2xx, `erased` for a delivery dropped because its
 * person was erased.
 */
const webhookFailures = [
  'status',
  'timeout',
  'connection',
  'tls',
  'name-not-found',
  'address-not-allowed',
  'url-not-allowed',
  'erased',
] as const;
export type WebhookFailure = (typeof webhookFailures)[number];

const webhookDeliverySchema = z
  .object({
    deliveryId: idSchema('dlv').describe('the notification’s `webhook-id` header, the same at each attempt'),
    eventType: z.enum([...webhookEventTypes, WEBHOOK_TEST_TYPE]),
    state: z.enum(webhookDeliveryStates),
    attempts: z.int().min(0),
    lastAttemptAt: timestampSchema.nullable(),
    nextAttemptAt: timestampSchema.nullable().describe('null unless pending'),
    lastStatus: z.int().nullable().describe('the receiver’s last status; null when it gave none'),
    lastFailure: z.enum(webhookFailures).nullable(),
    createdAt: timestampSchema,
  })
  .register(responseSchemas, { id: 'WebhookDelivery' });
export type WebhookDeliveryResource = z.infer<typeof webhookDeliverySchema>;

const pullWebhookEventsRequestSchema = z
  .object({
    taken: z
      .array(z.object({ deliveryId: idSchema('dlv') }))
      .max(MAX_PULLED_EVENTS)
      .optional()
      .describe('deliveries of former answers that arrived where they belong: delivered, and not answered again'),
  })
  .register(requestSchemas, { id: 'PullWebhookEventsRequest' });

const pulledWebhookEventsSchema = z
  .object({
    items: z.array(
      z.object({
        deliveryId: idSchema('dlv').describe('for the `webhook-id` header'),
        body: z.string().describe('the notification’s body, to be signed and passed on as it is'),
      }),
    ),
  })
  .register(responseSchemas, { id: 'PulledWebhookEvents' });

/** Query of a webhook's deliveries. */
const webhookDeliveryQuerySchema = pageQuerySchema.extend({
  state: z.enum(webhookDeliveryStates).optional().describe('only deliveries in this state'),
});

const EXAMPLE_WEBHOOK = {
  webhookId: exampleId('whk'),
  url: 'https://example.com/hooks/check-in',
  delivery: 'push',
  eventTypes: ['person.enrolled', 'person.deleted'],
  enabled: true,
  disabledReason: null,
  createdAt: '2026-05-01T18:30:00.000Z',
};
export const EXAMPLE_WEBHOOK_SECRET = 'whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=';

const EXAMPLE_BODY =
  '{"type":"list.closed","timestamp":"2026-05-01T18:30:00.000Z","data":{"listId":"lst_01jwnafy00e2rbg3vfk4s6q9tz"}}';

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

export const webhookOperations = {
  createWebhook: {
    summary: 'Create a webhook',
    description: `Notifications are sent to \`url\` as POST requests, signed by the Standard Webhooks scheme with the secret in the response, which is shown only once. Event types: ${webhookEventTypes.map((type) => `\`${type}\``).join(', ')}. An account can have 20 webhooks.`,
    request: {
      schema: createWebhookRequestSchema,
      example: { url: EXAMPLE_WEBHOOK.url, eventTypes: EXAMPLE_WEBHOOK.eventTypes },
    },
    success: {
      status: 201,
      description: 'created; the secret is shown only once',
      schema: createdWebhookSchema,
      headers: { Location: 'path of the webhook' },
      example: { ...EXAMPLE_WEBHOOK, secret: EXAMPLE_WEBHOOK_SECRET },
    },
    errors: ['webhook-limit-reached'],
    audit: 'webhook.create',
  },
  listWebhooks: {
    summary: 'List webhooks',
    description: 'One page of the account’s webhooks, newest first, without their secrets.',
    query: pageQuerySchema,
    success: { description: 'a page of webhooks', schema: webhookSchema, example: EXAMPLE_WEBHOOK },
  },
  getWebhook: {
    summary: 'Read a webhook',
    description: 'Whether it is enabled, and why not. Its secret is never shown again.',
    success: { description: 'the webhook', schema: webhookSchema, example: EXAMPLE_WEBHOOK },
  },
  updateWebhook: {
    summary: 'Change, disable or enable a webhook',
    description:
      'Absent fields stay unchanged. A disabled webhook is not notified of anything that happens; pending deliveries wait, and continue when it is enabled again. They also go to a new address.',
    request: { schema: updateWebhookRequestSchema, example: { enabled: false } },
    success: {
      description: 'the webhook as it is now',
      schema: webhookSchema,
      example: { ...EXAMPLE_WEBHOOK, enabled: false, disabledReason: 'owner' },
    },
    audit: 'webhook.update',
  },
  deleteWebhook: {
    summary: 'Delete a webhook',
    description: 'With its deliveries; what was pending is not sent any more.',
    success: { status: 204, description: 'deleted' },
    audit: 'webhook.delete',
  },
  rotateWebhookSecret: {
    summary: 'Rotate a webhook’s secret',
    description:
      'From now on the new secret signs. For 24 hours notifications bear a second signature of the former one, so that a receiver can change over without refusing any.',
    success: {
      description: 'the new secret, shown only once',
      schema: rotatedWebhookSecretSchema,
      example: { secret: EXAMPLE_WEBHOOK_SECRET, formerSecretValidUntil: '2026-05-02T18:30:00.000Z' },
    },
    audit: 'webhook.rotate-secret',
  },
  pullWebhookEvents: {
    summary: 'Fetch a webhook’s notifications',
    description:
      'Returns the oldest pending notifications, at most twenty. They stay pending until a later request names them as `taken`, so that nothing is lost. Only for webhooks with `delivery: pull`, which are disabled after a day without this request.',
    request: {
      schema: pullWebhookEventsRequestSchema,
      example: { taken: [{ deliveryId: EXAMPLE_DELIVERY.deliveryId }] },
    },
    success: {
      description: 'what is pending',
      schema: pulledWebhookEventsSchema,
      example: { items: [{ deliveryId: EXAMPLE_DELIVERY.deliveryId, body: EXAMPLE_BODY }] },
    },
    errors: ['webhook-disabled', 'webhook-pushed'],
    audit: 'webhook.pull',
  },
  testWebhook: {
    summary: 'Send a test notification',
    description:
      'Its type is `webhook.test`, and it is delivered like any other: the list of deliveries tells what came of it.',
    success: { status: 202, description: 'on its way', schema: webhookDeliverySchema, example: EXAMPLE_DELIVERY },
    errors: ['webhook-disabled'],
  },
  listWebhookDeliveries: {
    summary: 'List the deliveries of a webhook',
    description:
      'One page, newest first, of what was sent or is to be sent in the last 30 days; with `state=dead` those that were given up. What they say is not shown.',
    query: webhookDeliveryQuerySchema,
    success: { description: 'a page of deliveries', schema: webhookDeliverySchema, example: EXAMPLE_DELIVERY },
  },
  replayWebhookDelivery: {
    summary: 'Send a delivery again',
    description:
      'Whatever its state, it becomes due now, with as many attempts as a new one, and keeps its `webhook-id`: a receiver that has seen it knows it. Notifications about people who have been deleted since are gone.',
    success: { status: 202, description: 'on its way', schema: webhookDeliverySchema, example: EXAMPLE_DELIVERY },
    errors: ['webhook-disabled', 'delivery-erased'],
    audit: 'webhook.replay',
  },
} satisfies Descriptions;
