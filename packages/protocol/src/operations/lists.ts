import * as z from 'zod';
import {
  consentVersionSchema,
  countrySchema,
  countSchema,
  exampleId,
  exampleModelId,
  idSchema,
  modelIdSchema,
  nameSchema,
  pageQuerySchema,
  requestSchemas,
  responseSchemas,
  timestampSchema,
} from '../common.ts';
import { EVENT_RETAIN_DAYS, ONGOING_RETAIN_DAYS } from '../limits.ts';
import { metadataChangeSchema, metadataFilterSchema, metadataSchema } from '../metadata.ts';
import { attendances, checkInUrlSchema, headTurnAlternatives, reEntryPolicies, reEntryScopes } from '../sync.ts';
import { arrivalsPolicySchema } from './arrivals.ts';
import type { Descriptions } from './descriptions.ts';
import { EXAMPLE_WEBHOOK_SECRET, webhookSecretSchema } from './webhooks.ts';

const headTurnAlternativeSchema = z
  .enum(headTurnAlternatives)
  .describe(
    'what replaces the head turn for people who cannot turn their head. `none`: nothing, they go to staff. `staff`: staff at the device confirm after the match. `light`: the device checks how the face responds to light from its screen',
  );

const attendanceSchema = z
  .enum(attendances)
  .describe(
    'whether staff watch the list’s doors (default `staffed`). `unattended`: to let someone in, a device also needs to see the face respond to the light of its screen or, without such a light, the room around the face in every frame. Devices that cannot check this get no copy of the list. Cannot be combined with `headTurnAlternative` `staff`',
  );

const reEntrySchema = z
  .enum(reEntryPolicies)
  .describe(
    'what the list’s devices do if a verified person was let in before. `off` (default): nothing. `warn`: let the person in and show when that was. `refuse`: do not let the person in; staff decide',
  );

const reEntryScopeSchema = z
  .enum(reEntryScopes)
  .describe(
    'which admissions count for `reEntry` `warn` and `refuse`. `device` (default): only those of the device itself. `list`: those of all devices of the list, as long as the device can reach the service',
  );

const checkInAddressSchema = checkInUrlSchema
  .nullable()
  .describe(
    'where the list’s devices send each admission, as a webhook signed with the list’s check-in secret. The deployment must allow the URL’s origin. null: nowhere',
  );

const goalSchema = z
  .int()
  .min(1)
  .max(10_000_000)
  .nullable()
  .describe('number of enrolled people at which users get the notice `enrolment-goal`. null: no goal');

/** Permitted sources of a list's photos. */
export const photoSourceSchema = z
  .enum(['any', 'camera'])
  .describe('`any` (default): any photo. `camera`: only photos declared as taken with the camera of the page itself');
export type PhotoSource = z.infer<typeof photoSourceSchema>;

/** Whether photos are checked for being a picture of a picture. */
const photoCheckSchema = z
  .enum(['none', 'passive'])
  .describe('`none` (default): no check. `passive`: refuse photos that look like a photo of a print or a screen');
export type PhotoCheck = z.infer<typeof photoCheckSchema>;

/**
 * A list of an event (faces kept for `retainDays` after its end) or an ongoing list (each face kept for `retainDays`
 * after its enrolment).
 */
export const createListRequestSchema = z
  .object({
    name: nameSchema,
    country: countrySchema.nullable().optional(),
    eventId: idSchema('evt').nullable().optional().describe('the event, for a list that is not ongoing'),
    ongoing: z.literal(true).optional().describe('for a list without an event'),
    headTurnAlternative: headTurnAlternativeSchema.optional(),
    photoSource: photoSourceSchema.optional(),
    photoCheck: photoCheckSchema.optional(),
    reEntry: reEntrySchema.optional(),
    reEntryScope: reEntryScopeSchema.optional(),
    attendance: attendanceSchema.optional(),
    arrivals: arrivalsPolicySchema.optional(),
    checkInUrl: checkInAddressSchema.optional(),
    enrolmentGoal: goalSchema.optional(),
    metadata: metadataChangeSchema,
    retainDays: z
      .int()
      .optional()
      .meta({
        minimum: EVENT_RETAIN_DAYS.min,
        maximum: ONGOING_RETAIN_DAYS.max,
        description: `how many days to keep faces: with \`eventId\`, ${EVENT_RETAIN_DAYS.min} to ${EVENT_RETAIN_DAYS.max} after the event’s end (default ${EVENT_RETAIN_DAYS.default}); with \`ongoing\`, ${ONGOING_RETAIN_DAYS.min} to ${ONGOING_RETAIN_DAYS.max} after each enrolment (default ${ONGOING_RETAIN_DAYS.default})`,
      }),
  })
  .superRefine((list, context) => {
    const ofEvent = typeof list.eventId === 'string';
    if (ofEvent === (list.ongoing === true)) {
      context.addIssue({ code: 'custom', path: [], message: 'must have exactly one of eventId and ongoing' });
      return;
    }
    const { min, max } = ofEvent ? EVENT_RETAIN_DAYS : ONGOING_RETAIN_DAYS;
    if (list.retainDays !== undefined && (list.retainDays < min || list.retainDays > max)) {
      context.addIssue({ code: 'custom', path: ['retainDays'], message: `must be from ${min} to ${max}` });
    }
  })
  .meta({ oneOf: [{ required: ['eventId'], properties: { eventId: { type: 'string' } } }, { required: ['ongoing'] }] })
  .register(requestSchemas, { id: 'CreateListRequest' });
export type CreateListRequest = z.infer<typeof createListRequestSchema>;

/** Fields to change; absent ones stay. */
export const updateListRequestSchema = z
  .object({
    name: nameSchema.optional(),
    headTurnAlternative: headTurnAlternativeSchema.optional(),
    reEntry: reEntrySchema.optional(),
    reEntryScope: reEntryScopeSchema.optional(),
    attendance: attendanceSchema.optional(),
    arrivals: arrivalsPolicySchema.optional(),
    checkInUrl: checkInAddressSchema.optional(),
    enrolmentGoal: goalSchema.optional(),
    metadata: metadataChangeSchema,
  })
  .register(requestSchemas, { id: 'UpdateListRequest' });
export type UpdateListRequest = z.infer<typeof updateListRequestSchema>;

/** What a list takes: people, none any more, or it is over. */
export const listStateSchema = z
  .enum(['open', 'closed', 'ended'])
  .describe(
    '`open`: people can be enrolled. `closed`: enrolment was closed. `ended`: the list was ended, or its retention deadline has passed',
  );
export type ListState = z.infer<typeof listStateSchema>;

/** Query of the lists: a page of all, of one event, or of the ongoing ones. */
const listListsQuerySchema = pageQuerySchema.extend({
  eventId: idSchema('evt').optional().describe('only the list of this event; an empty page if it has none'),
  ongoing: z.literal('true').optional().describe('`true`: only lists without an event'),
  metadata: metadataFilterSchema,
});
export type ListQuery = z.infer<typeof listListsQuerySchema>;

export const listSchema = z
  .object({
    listId: idSchema('lst'),
    name: nameSchema,
    state: listStateSchema,
    people: countSchema.describe(
      'number of enrolled people. People past their `deleteAfter` count until the service removes them, within minutes; 0 after the list’s retention deadline',
    ),
    devices: countSchema.describe('number of devices, without revoked ones'),
    eventId: idSchema('evt').nullable().describe('the event of the list; null for an ongoing list'),
    country: countrySchema.nullable(),
    consentVersion: consentVersionSchema.describe('version of the consent wording; enrolments must send it'),
    modelId: modelIdSchema.describe('the recognition model for new enrolments'),
    enrollmentClosed: z.boolean().describe('whether enrolment was closed, which is final'),
    headTurnAlternative: headTurnAlternativeSchema,
    photoSource: photoSourceSchema,
    photoCheck: photoCheckSchema,
    reEntry: reEntrySchema,
    reEntryScope: reEntryScopeSchema.optional(),
    attendance: attendanceSchema.optional(),
    arrivals: arrivalsPolicySchema.optional(),
    checkInUrl: checkInAddressSchema,
    enrolmentGoal: goalSchema.optional(),
    checkInSecretAt: timestampSchema
      .nullable()
      .describe('when the check-in secret was created or replaced; null: there is none, so devices send nothing'),
    retainDays: z.int().describe('days for which faces are kept, after the event’s end or after each enrolment'),
    retentionDeadline: timestampSchema.nullable().describe('when all faces are deleted; null for an ongoing list'),
    endedAt: timestampSchema.nullable().describe('when the list was ended; null if it was not'),
    metadata: metadataSchema.optional(),
    createdAt: timestampSchema,
  })
  .register(responseSchemas, { id: 'List' });
export type ListResource = z.infer<typeof listSchema>;

/** Answer of making a list's check-in secret; it is never shown again. */
const checkInSecretSchema = z
  .object({ secret: webhookSecretSchema })
  .register(responseSchemas, { id: 'CheckInSecret' });

/** Number of people in a list with templates of one model. */
const modelCountSchema = z.object({
  modelId: modelIdSchema,
  engineId: z.string().describe('the name of the model on devices'),
  people: z.int().min(0).describe('number of people whose face records devices get'),
});

/** A list with its counts, as answered for a single list. */
const countedListSchema = listSchema
  .extend({
    models: z
      .array(modelCountSchema)
      .describe('first the model for new enrolments, then the others that people still have a template of'),
  })
  .register(responseSchemas, { id: 'CountedList' });
export type CountedListResource = z.infer<typeof countedListSchema>;

/** What ending, closing or deleting a list would do now. */
const listImpactSchema = z
  .object({
    people: countSchema.describe('number of people whose faces would be deleted with the list'),
    firstDeleteAfter: timestampSchema.nullable().describe('earliest `deleteAfter` of these people; null for none'),
    lastDeleteAfter: timestampSchema.nullable().describe('latest `deleteAfter` of these people; null for none'),
    devices: countSchema.describe('number of devices, which wipe their data at their next sync if the list is deleted'),
    devicesWithCopy: countSchema.describe('how many of these devices have synced, so they hold a copy of the list'),
    lastSyncAt: timestampSchema.nullable().describe('latest sync of any of these devices; null if none has synced'),
    validTokens: countSchema.describe('number of enrolment tokens and guest links that would stop working'),
    guestLinks: countSchema.describe('how many of these tokens are guest links'),
  })
  .register(responseSchemas, { id: 'ListImpact' });
export type ListImpact = z.infer<typeof listImpactSchema>;

const changeModelRequestSchema = z
  .object({ modelId: modelIdSchema.optional().describe('default: the deployment’s standard model') })
  .register(requestSchemas, { id: 'ChangeModelRequest' });
export type ChangeModelRequest = z.infer<typeof changeModelRequestSchema>;

const asked = { name: 'Season ticket holders', country: 'GB', ongoing: true, retainDays: 365 } as const;
const list = {
  listId: exampleId('lst'),
  name: asked.name,
  state: 'open',
  people: 1204,
  devices: 6,
  eventId: null,
  country: asked.country,
  consentVersion: 'uk-v2',
  modelId: exampleModelId,
  enrollmentClosed: false,
  headTurnAlternative: 'none',
  photoSource: 'any',
  photoCheck: 'none',
  reEntry: 'off',
  reEntryScope: 'device',
  attendance: 'staffed',
  arrivals: 'off',
  checkInUrl: null,
  checkInSecretAt: null,
  retainDays: asked.retainDays,
  retentionDeadline: null,
  endedAt: null,
  metadata: { season: '2026' },
  createdAt: '2026-05-01T08:15:00.000Z',
} as const;

const counted = {
  ...list,
  models: [{ modelId: exampleModelId, engineId: 'dlib-resnet-128-mirror/2', people: 1204 }],
} as const;

export const listOperations = {
  createList: {
    summary: 'Create a list for an event, or an ongoing list',
    description:
      'Send exactly one of `eventId` and `ongoing`. Without `country`, the list gets the country of its event. The list’s country decides its `consentVersion`; if it has none, the account’s country decides, and then the billing currency.',
    request: { schema: createListRequestSchema, example: asked },
    success: {
      status: 201,
      description: 'created',
      schema: listSchema,
      example: { ...list, people: 0, devices: 0 },
      headers: { Location: 'path of the list' },
    },
    errors: [
      ...(['not-found', 'test-limit-reached', 'event-has-list', 'event-ended'] as const),
      ...(['model-unavailable', 'check-in-origin-not-allowed'] as const),
    ],
    audit: 'list.create',
  },
  listLists: {
    summary: 'List lists',
    description:
      'Returns one page, newest first; follow `nextCursor` until it is null. `eventId` and `ongoing` together match no list.',
    query: listListsQuerySchema,
    success: { description: 'a page of lists, newest first', schema: listSchema, example: list },
  },
  getList: {
    summary: 'Read a list',
    description:
      'Read the list before you ask for consent: enrolments must send its `consentVersion`. `models` has the number of people for each recognition model.',
    success: { description: 'the list', schema: countedListSchema, example: counted },
  },
  updateList: {
    summary: 'Change a list’s name, metadata or device settings',
    description:
      'Fields that you leave out stay as they are. Devices apply changes from their next sync. Use `headTurnAlternative` `staff` only for devices that staff operate, because anyone at the device can confirm; use `light` for devices whose screen faces the person. Devices that cannot serve an `unattended` list erase their copy of it.',
    request: { schema: updateListRequestSchema, example: { headTurnAlternative: 'staff' } },
    success: { description: 'the list', schema: listSchema, example: { ...list, headTurnAlternative: 'staff' } },
    errors: ['check-in-origin-not-allowed'],
    audit: 'list.update',
  },
  rotateCheckInSecret: {
    summary: 'Create or replace a list’s check-in secret',
    description:
      'With this Standard Webhooks secret, the receiver at `checkInUrl` verifies what devices send. Each device signs with the old secret until its next sync, so accept both for a day. Devices send no check-ins until there is a secret.',
    success: {
      description: 'the secret, shown only once',
      schema: checkInSecretSchema,
      example: { secret: EXAMPLE_WEBHOOK_SECRET },
    },
    audit: 'list.rotate-check-in-secret',
  },
  getListImpact: {
    summary: 'Read the impact of closing, ending or deleting a list',
    description:
      'Returns the current numbers, so that a user can confirm the action. It changes and reserves nothing: people can enrol and devices can sync before you act.',
    success: {
      description: 'the numbers',
      schema: listImpactSchema,
      example: {
        people: 1204,
        firstDeleteAfter: '2026-06-24T09:12:00.000Z',
        lastDeleteAfter: '2027-05-31T17:40:00.000Z',
        devices: 6,
        devicesWithCopy: 5,
        lastSyncAt: '2026-06-01T10:00:00.000Z',
        validTokens: 0,
        guestLinks: 0,
      },
    },
  },
  closeEnrollment: {
    summary: 'Close enrolment for a list, permanently',
    description: 'Final: no one can be enrolled any more. People already enrolled stay. Repeating it changes nothing.',
    success: {
      description: 'the list, closed',
      schema: listSchema,
      example: { ...list, state: 'closed', enrollmentClosed: true },
    },
    audit: 'list.close',
  },
  changeModel: {
    summary: 'Change the recognition model of a list',
    description:
      'New enrolments use this model. A template cannot be converted without a photo, so people already enrolled keep their old template, and devices recognise them by it, until they enrol again. If the list already has this model, nothing changes.',
    request: { schema: changeModelRequestSchema, required: false, example: { modelId: exampleModelId } },
    success: { description: 'the list', schema: listSchema, example: list },
    errors: ['list-ended', 'enrolment-closed', 'model-unavailable'],
    audit: 'list.change-model',
  },
  endList: {
    summary: 'End a list',
    description:
      'No one can be enrolled any more. Faces stay until their `deleteAfter`, and devices continue to verify. You can undo this for ten minutes. Repeating it changes nothing.',
    success: {
      description: 'the list, ended',
      schema: listSchema,
      example: { ...list, state: 'ended', endedAt: '2026-09-01T00:00:00.000Z' },
    },
    audit: 'list.end',
  },
  undoEndList: {
    summary: 'Undo ending a list',
    description:
      'Works for ten minutes after the end, and only before the list’s retention deadline. Enrolment that was closed stays closed, and emails skipped in the meantime are not sent. If `list.ended` was sent, `list.resumed` follows. If the list was not ended, nothing changes.',
    success: { description: 'the list', schema: listSchema, example: list },
    errors: ['list-ended'],
    audit: 'list.undo-end',
  },
  deleteList: {
    summary: 'Delete a list and every face in it',
    description: 'Final: destroys the list’s key, then its records. Devices wipe their data at their next sync.',
    success: { status: 204, description: 'deleted' },
    audit: 'list.delete',
  },
} satisfies Descriptions;
