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
  'event.updated': z.object(event).describe('An event, or its organiser in the widget settings, was changed'),
  'event.ended': z
    .object({ ...event, endsAt: timestampSchema })
    .describe('The end of an event has passed; sent again if the end is moved and passes again'),
  'event.deleted': z.object(event).describe('An event was deleted'),
  'person.enrolled': z
    .object({ ...person, modelId: modelIdSchema, deleteAfter: timestampSchema })
    .describe('A person was enrolled, or the person’s face was replaced'),
  'person.declined': z
    .object({ ...list, ...event, ticketId: personIdSchema })
    .describe('A guest declined enrolment in the widget'),
  'person.deleted': z
    .object({ ...person, reason: z.enum(['erased', 'consent-withdrawn', 'expired']) })
    .describe('A face was deleted'),
  'list.created': z
    .object({ ...list, eventId: event.eventId.nullable().describe('null for an ongoing list') })
    .describe('A list was created'),
  'list.closed': z.object(list).describe('Enrolment was closed for a list'),
  'list.ended': z
    .object({ ...list, reason: z.enum(['ended', 'deleted', 'retention-deadline']) })
    .describe('A list has ended or was deleted; sent once'),
  'list.resumed': z.object(list).describe('Ending a list was undone'),
  'device.added': z.object(device).describe('A device was added'),
  'device.revoked': z.object(device).describe('A device was revoked'),
  'device.synced-late': z
    .object({ ...device, lastSyncAt: timestampSchema, syncedAt: timestampSchema })
    .describe('A device synced after its lease of 24 hours had run out'),
  'device.wipe-sent': z
    .object({ ...device, reason: z.enum(wipeReasons) })
    .describe('A device was sent a signed wipe; sent once for each reason'),
  [WEBHOOK_TEST_TYPE]: z.object({ webhookId: idSchema('whk') }).describe('A test notification was requested'),
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
  .meta({ uniqueItems: true, description: 'types of notifications that the webhook gets' });

/** URL parsers drop control characters and replace lone surrogates; the database does not accept all of them. */
const PLAIN = /^[^\p{Cc}\p{Cs}]*$/u;

const urlSchema = z
  .url({ protocol: /^https?$/ })
  .max(MAX_WEBHOOK_URL_CHARS)
  .refine((url) => PLAIN.test(url), { error: 'must not contain control characters or lone surrogates' })
  .meta({
    format: 'uri',
    description:
      'where notifications are sent. Must be `https` on port 443 at a public address, unless the deployment allows others, and have no user, password or fragment',
    examples: ['https://example.com/hooks/check-in'],
  });

const deliverySchema = z
  .enum(['push', 'pull'])
  .describe(
    '`push` (default): the service sends notifications to `url`. `pull`: you fetch them with `…/pull`, and nothing is sent; `url` can then also be `http` or on your own machine',
  );
export type WebhookMethod = z.infer<typeof deliverySchema>;

/** Body of creating a webhook; without `eventTypes` it gets all types that exist at that time. */
export const createWebhookRequestSchema = z
  .object({ url: urlSchema, eventTypes: eventTypesSchema.optional(), delivery: deliverySchema.optional() })
  .register(requestSchemas, { id: 'CreateWebhookRequest' });
export type CreateWebhookRequest = z.infer<typeof createWebhookRequestSchema>;

/** Body of changing a webhook; absent fields stay. */
export const updateWebhookRequestSchema = z
  .object({
    url: urlSchema.optional(),
    eventTypes: eventTypesSchema.optional(),
    enabled: z.boolean().optional().describe('`false` disables the webhook'),
  })
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
        'why the webhook is disabled. `owner`: on request. `gone`: the receiver answered 410. `failing`: the receiver accepted nothing for days, or notifications were not fetched for a day. null while enabled',
      ),
    createdAt: timestampSchema,
  })
  .register(responseSchemas, { id: 'Webhook' });
export type WebhookResource = z.infer<typeof webhookSchema>;

export const webhookSecretSchema = z.string().meta({
  pattern: '^whsec_[A-Za-z0-9+/]{43}=$',
  description: 'Standard Webhooks secret; only shown in this response',
});

/** Answer of creating a webhook; the secret is never shown again. */
const createdWebhookSchema = webhookSchema
  .extend({ secret: webhookSecretSchema })
  .register(responseSchemas, { id: 'CreatedWebhook' });
export type CreatedWebhook = z.infer<typeof createdWebhookSchema>;

/** Answer of a rotation: until `formerSecretValidUntil` each notification is signed with both secrets. */
const rotatedWebhookSecretSchema = z
  .object({
    secret: webhookSecretSchema,
    formerSecretValidUntil: timestampSchema.describe('until when the old secret signs too'),
  })
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
    deliveryId: idSchema('dlv').describe('ID of the delivery, also in the header `webhook-id` of every attempt'),
    eventType: z.enum([...webhookEventTypes, WEBHOOK_TEST_TYPE]),
    state: z.enum(webhookDeliveryStates).describe('`dead`: given up after too many attempts'),
    attempts: z.int().min(0),
    lastAttemptAt: timestampSchema.nullable().describe('null before the first attempt'),
    nextAttemptAt: timestampSchema.nullable().describe('when the next attempt is due; null unless pending'),
    lastStatus: z.int().nullable().describe('last HTTP status of the receiver; null if it has sent none'),
    lastFailure: z
      .enum(webhookFailures)
      .nullable()
      .describe(
        'why the last attempt failed. `status`: the receiver’s status was not 2xx. `erased`: the person was deleted',
      ),
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
      .describe('deliveries of earlier responses that you have processed; they are not returned again'),
  })
  .register(requestSchemas, { id: 'PullWebhookEventsRequest' });

const pulledWebhookEventsSchema = z
  .object({
    items: z.array(
      z.object({
        deliveryId: idSchema('dlv').describe('value for the header `webhook-id`'),
        body: z.string().describe('the body of the notification, to be signed and passed on unchanged'),
      }),
    ),
  })
  .register(responseSchemas, { id: 'PulledWebhookEvents' });

/** Query of a webhook's deliveries. */
const webhookDeliveryQuerySchema = pageQuerySchema.extend({
  state: z.enum(webhookDeliveryStates).optional().describe('only deliveries in this state; `dead`: given up'),
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
    description: `The service sends notifications to \`url\` as POST requests, signed according to Standard Webhooks with the secret in the response, which is shown only once. Without \`eventTypes\`, the webhook gets all types that exist now: ${webhookEventTypes.map((type) => `\`${type}\``).join(', ')}. An account can have 20 webhooks.`,
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
    description: 'Returns one page, newest first, without secrets.',
    query: pageQuerySchema,
    success: { description: 'a page of webhooks', schema: webhookSchema, example: EXAMPLE_WEBHOOK },
  },
  getWebhook: {
    summary: 'Read a webhook',
    description: 'Returns the webhook without its secret. `disabledReason` says why it is disabled.',
    success: { description: 'the webhook', schema: webhookSchema, example: EXAMPLE_WEBHOOK },
  },
  updateWebhook: {
    summary: 'Change, disable or enable a webhook',
    description:
      'Fields that you leave out stay as they are. A disabled webhook gets no notification of what happens in the meantime. Its pending deliveries wait until you enable it again. If you change `url`, they go to the new one.',
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
    description: 'Also deletes its deliveries; pending ones are not sent.',
    success: { status: 204, description: 'deleted' },
    audit: 'webhook.delete',
  },
  rotateWebhookSecret: {
    summary: 'Rotate a webhook’s secret',
    description:
      'Creates a new secret. For 24 hours, each notification is signed with both the new and the old secret, so that your receiver can switch without refusing any.',
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
      'Returns the oldest pending notifications, at most twenty. They stay pending until a later request lists them in `taken`, so that nothing is lost. Only for webhooks with `delivery` `pull`, which are disabled after a day without this request.',
    request: {
      schema: pullWebhookEventsRequestSchema,
      example: { taken: [{ deliveryId: EXAMPLE_DELIVERY.deliveryId }] },
    },
    success: {
      description: 'pending notifications',
      schema: pulledWebhookEventsSchema,
      example: { items: [{ deliveryId: EXAMPLE_DELIVERY.deliveryId, body: EXAMPLE_BODY }] },
    },
    errors: ['webhook-disabled', 'webhook-pushed'],
    audit: 'webhook.pull',
  },
  testWebhook: {
    summary: 'Send a test notification',
    description:
      'Sends a notification of type `webhook.test`. It is delivered like any other; look up its result in the list of deliveries.',
    success: {
      status: 202,
      description: 'sent in the background',
      schema: webhookDeliverySchema,
      example: EXAMPLE_DELIVERY,
    },
    errors: ['webhook-disabled'],
  },
  listWebhookDeliveries: {
    summary: 'List the deliveries of a webhook',
    description:
      'Returns one page of the deliveries of the last 30 days, newest first, without the notifications’ content.',
    query: webhookDeliveryQuerySchema,
    success: { description: 'a page of deliveries', schema: webhookDeliverySchema, example: EXAMPLE_DELIVERY },
  },
  replayWebhookDelivery: {
    summary: 'Send a delivery again',
    description:
      'Sends the delivery again now, whatever its state, with the full number of attempts. It keeps its `webhook-id`, by which your receiver can recognise it. Notifications about people who have been deleted since cannot be sent again.',
    success: {
      status: 202,
      description: 'sent in the background',
      schema: webhookDeliverySchema,
      example: EXAMPLE_DELIVERY,
    },
    errors: ['webhook-disabled', 'delivery-erased'],
    audit: 'webhook.replay',
  },
} satisfies Descriptions;
