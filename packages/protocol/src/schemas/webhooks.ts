import * as z from 'zod';
import { MAX_WEBHOOK_URL_CHARS } from '../limits.ts';
import { collectionSchema, idSchema, pageQuerySchema, timestampSchema } from './common.ts';

/** What a webhook can ask to be told of. */
export const webhookEventTypes = [
  'person.enrolled',
  'person.declined',
  'person.deleted',
  'list.closed',
  'list.ended',
  'device.added',
  'device.revoked',
  'device.synced-late',
  'device.wipe-sent',
] as const;
export type WebhookEventType = (typeof webhookEventTypes)[number];

/** The type of the notification that a test sends; no webhook need ask for it. */
export const WEBHOOK_TEST_TYPE = 'webhook.test';

const eventTypesSchema = z
  .array(z.enum(webhookEventTypes))
  .min(1)
  .max(webhookEventTypes.length)
  .refine((types) => new Set(types).size === types.length, { error: 'must name each type once' })
  .meta({ uniqueItems: true, description: 'what to be told of' });

/** URL parsers skip control characters and mend lone surrogates; the database takes neither as it is. */
const PLAIN = /^[^\p{Cc}\p{Cs}]*$/u;

const urlSchema = z
  .url()
  .max(MAX_WEBHOOK_URL_CHARS)
  .refine((url) => PLAIN.test(url), { error: 'must hold no control characters and no lone surrogates' })
  .meta({
    format: 'uri',
    description:
      'https, port 443 unless the deployment allows others, without user, password and fragment; reached on a public address only',
    examples: ['https://example.com/hooks/check-in'],
  });

/** Body of creating a webhook; without `eventTypes` it is told of everything, types that are added later excepted. */
export const createWebhookRequestSchema = z.object({ url: urlSchema, eventTypes: eventTypesSchema.optional() });
export type CreateWebhookRequest = z.infer<typeof createWebhookRequestSchema>;

/** Body of changing a webhook; what is absent stays. */
export const updateWebhookRequestSchema = z.object({
  url: urlSchema.optional(),
  eventTypes: eventTypesSchema.optional(),
  enabled: z.boolean().optional(),
});
export type UpdateWebhookRequest = z.infer<typeof updateWebhookRequestSchema>;

export const webhookSchema = z.object({
  webhookId: idSchema('whk'),
  url: z.string(),
  eventTypes: z.array(z.enum(webhookEventTypes)),
  enabled: z.boolean(),
  disabledReason: z.enum(['owner', 'gone', 'failing']).nullable().meta({
    description:
      'owner: by request; gone: the receiver answered 410; failing: nothing was taken for days; null while enabled',
  }),
  createdAt: timestampSchema,
});
export type WebhookResource = z.infer<typeof webhookSchema>;

const secretSchema = z
  .string()
  .meta({ pattern: '^whsec_[A-Za-z0-9+/]{43}=$', description: 'signing secret of Standard Webhooks; shown once' });

/** Answer of creating a webhook: the only time that this secret is shown. */
export const createdWebhookSchema = webhookSchema.extend({ secret: secretSchema });
export type CreatedWebhook = z.infer<typeof createdWebhookSchema>;

/** Answer of a rotation: until `formerSecretValidUntil` each notification bears a signature of either secret. */
export const rotatedWebhookSecretSchema = z.object({
  secret: secretSchema,
  formerSecretValidUntil: timestampSchema,
});
export type RotatedWebhookSecret = z.infer<typeof rotatedWebhookSecretSchema>;

const webhookDeliveryStates = ['pending', 'delivered', 'dead'] as const;
export type WebhookDeliveryState = (typeof webhookDeliveryStates)[number];
/** Why the last attempt failed: `status` for an answer other than 2xx, `erased` for what is never sent because its person was erased. */
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

export const webhookDeliverySchema = z.object({
  deliveryId: idSchema('dlv').meta({ description: 'the notification’s `webhook-id` header, the same at each attempt' }),
  eventType: z.enum([...webhookEventTypes, WEBHOOK_TEST_TYPE]),
  state: z.enum(webhookDeliveryStates),
  attempts: z.int().min(0),
  lastAttemptAt: timestampSchema.nullable(),
  nextAttemptAt: timestampSchema.nullable().meta({ description: 'null unless pending' }),
  lastStatus: z.int().nullable().meta({ description: 'the receiver’s last status; null when it gave none' }),
  lastFailure: z.enum(webhookFailures).nullable(),
  createdAt: timestampSchema,
});
export type WebhookDeliveryResource = z.infer<typeof webhookDeliverySchema>;

export const webhookCollectionSchema = collectionSchema(webhookSchema);
export const webhookDeliveryCollectionSchema = collectionSchema(webhookDeliverySchema);

/** Query of a webhook's deliveries. */
export const webhookDeliveryQuerySchema = pageQuerySchema.extend({ state: z.enum(webhookDeliveryStates).optional() });
