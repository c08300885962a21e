import * as z from 'zod';
import { problemSchema } from '../problem.ts';
import { auditEntryCollectionSchema, auditEntrySchema } from '../schemas/audit.ts';
import { consentLedgerLineSchema, consentRecordCollectionSchema, consentRecordSchema } from '../schemas/consents.ts';
import { addDeviceRequestSchema, addedDeviceSchema, deviceCollectionSchema, deviceSchema } from '../schemas/devices.ts';
import {
  createEventRequestSchema,
  eventCollectionSchema,
  eventSchema,
  updateEventRequestSchema,
  widgetSettingsSchema,
} from '../schemas/events.ts';
import {
  changeModelRequestSchema,
  countedListSchema,
  createListRequestSchema,
  listCollectionSchema,
  listSchema,
  updateListRequestSchema,
} from '../schemas/lists.ts';
import {
  consentSchema,
  enrolledPersonSchema,
  enrolPersonRequestSchema,
  personCollectionSchema,
  personSchema,
} from '../schemas/people.ts';
import { healthSchema } from '../schemas/service.ts';
import {
  createdEnrolmentLinksSchema,
  createdEnrolmentTokenSchema,
  createEnrolmentLinksRequestSchema,
  createEnrolmentTokenRequestSchema,
  enrolmentTokenCollectionSchema,
  enrolmentTokenSchema,
} from '../schemas/tokens.ts';
import { usageSchema } from '../schemas/usage.ts';
import {
  createdWebhookSchema,
  createWebhookRequestSchema,
  rotatedWebhookSecretSchema,
  updateWebhookRequestSchema,
  webhookCollectionSchema,
  webhookDeliveryCollectionSchema,
  webhookDeliverySchema,
  webhookSchema,
} from '../schemas/webhooks.ts';
import { enrolledGuestSchema, guestEnrolmentRequestSchema, widgetSessionSchema } from '../schemas/widget.ts';
import { consentWordingSchema, publishedWordingSchema } from '../schemas/wording.ts';
import { syncManifestSchema } from '../sync.ts';

/** What requests are made of: documented as it is sent. */
export const requestSchemas = {
  CreateEventRequest: createEventRequestSchema,
  UpdateEventRequest: updateEventRequestSchema,
  WidgetSettings: widgetSettingsSchema,
  CreateEnrolmentTokenRequest: createEnrolmentTokenRequestSchema,
  CreateEnrolmentLinksRequest: createEnrolmentLinksRequestSchema,
  GuestEnrolmentRequest: guestEnrolmentRequestSchema,
  CreateListRequest: createListRequestSchema,
  UpdateListRequest: updateListRequestSchema,
  ChangeModelRequest: changeModelRequestSchema,
  Consent: consentSchema,
  EnrolPersonRequest: enrolPersonRequestSchema,
  AddDeviceRequest: addDeviceRequestSchema,
  CreateWebhookRequest: createWebhookRequestSchema,
  UpdateWebhookRequest: updateWebhookRequestSchema,
} as const;

/** What answers are made of: documented as it is received. */
const outputs = {
  Event: eventSchema,
  EventCollection: eventCollectionSchema,
  EnrolmentToken: enrolmentTokenSchema,
  EnrolmentTokenCollection: enrolmentTokenCollectionSchema,
  CreatedEnrolmentToken: createdEnrolmentTokenSchema,
  CreatedEnrolmentLinks: createdEnrolmentLinksSchema,
  WidgetSession: widgetSessionSchema,
  EnrolledGuest: enrolledGuestSchema,
  List: listSchema,
  CountedList: countedListSchema,
  ListCollection: listCollectionSchema,
  EnrolledPerson: enrolledPersonSchema,
  Person: personSchema,
  PersonCollection: personCollectionSchema,
  ConsentRecord: consentRecordSchema,
  ConsentRecordCollection: consentRecordCollectionSchema,
  ConsentLedgerLine: consentLedgerLineSchema,
  ConsentWording: consentWordingSchema,
  PublishedWording: publishedWordingSchema,
  Device: deviceSchema,
  AddedDevice: addedDeviceSchema,
  DeviceCollection: deviceCollectionSchema,
  Webhook: webhookSchema,
  WebhookCollection: webhookCollectionSchema,
  CreatedWebhook: createdWebhookSchema,
  RotatedWebhookSecret: rotatedWebhookSecretSchema,
  WebhookDelivery: webhookDeliverySchema,
  WebhookDeliveryCollection: webhookDeliveryCollectionSchema,
  Usage: usageSchema,
  AuditEntry: auditEntrySchema,
  AuditEntryCollection: auditEntryCollectionSchema,
  Health: healthSchema,
  Problem: problemSchema,
  SyncManifest: syncManifestSchema,
} as const;

export type ComponentName = keyof typeof requestSchemas | keyof typeof outputs;

/** Reference to a component of the document. */
export const componentRef = (name: ComponentName) => ({ $ref: `#/components/schemas/${name}` });

function toComponents(schemas: Readonly<Record<string, z.ZodType>>, io: 'input' | 'output'): Record<string, object> {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(schemas)) registry.add(schema, { id });
  const { schemas: generated } = z.toJSONSchema(registry, {
    io,
    target: 'draft-2020-12',
    unrepresentable: 'throw',
    uri: (id) => `#/components/schemas/${id}`,
    // A later version may add fields to answers, so more of them are no violation; a request with more of them is refused.
    override: ({ jsonSchema }) => {
      if (io === 'input' && jsonSchema.type === 'object') jsonSchema.additionalProperties = false;
      else if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
    },
  });
  return Object.fromEntries(
    Object.entries(generated).map(([id, { $schema: _dialect, $id: _id, id: _name, ...schema }]) => [id, schema]),
  );
}

/** `components.schemas`, generated from the very schemas that validate requests and describe answers. */
export function buildComponents(): Record<string, object> {
  return { ...toComponents(requestSchemas, 'input'), ...toComponents(outputs, 'output') };
}
