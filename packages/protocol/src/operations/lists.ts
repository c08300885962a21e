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
    'what people who cannot turn their head do instead: nothing (they go to staff), staff at the device confirm, or the face answers the light of the device’s screen',
  );

const attendanceSchema = z
  .enum(attendances)
  .describe(
    'whether staff watch the list’s doors (default staffed). unattended: devices let nobody in without room around the face in every compared frame or the answered light of their screen; devices that cannot tell get no copy of the list. Not together with `headTurnAlternative` `staff`',
  );

const reEntrySchema = z
  .enum(reEntryPolicies)
  .describe(
    'what the list’s devices do with a verified person whom they let in before: nothing, for they do not remember whom they let in; tell staff when that was; or refuse, so that staff decide (default off)',
  );

const reEntryScopeSchema = z
  .enum(reEntryScopes)
  .describe(
    'whom a device knows to have been let in (default device): those whom it let in itself, or those whom any device of the list let in, as far as it reaches the service. Has an effect with `reEntry` `warn` and `refuse`',
  );

const checkInAddressSchema = checkInUrlSchema
  .nullable()
  .describe(
    'where the list’s devices send who was let in, as webhooks signed with the list’s check-in secret; its origin has to be one that the deployment allows. null: nowhere',
  );

const goalSchema = z
  .int()
  .min(1)
  .max(10_000_000)
  .nullable()
  .describe('people whom the organiser hopes for: staff are told when they are there. null: no goal');

/** Permitted sources of a list's photos. */
export const photoSourceSchema = z
  .enum(['any', 'camera'])
  .describe('camera: only photos of which the request says that the page’s own camera took them (default any)');
export type PhotoSource = z.infer<typeof photoSourceSchema>;

/** Whether photos are checked for being a picture of a picture. */
const photoCheckSchema = z
  .enum(['none', 'passive'])
  .describe('passive: a photo that looks like one of a print or a screen is refused (default none)');
export type PhotoCheck = z.infer<typeof photoCheckSchema>;

/**
 * A list of an event (faces kept for `retainDays` after its end) or an ongoing list (each face kept for `retainDays`
 * after its enrolment).
 */
export const createListRequestSchema = z
  .object({
    name: nameSchema,
    country: countrySchema.nullable().optional(),
    eventId: idSchema('evt').nullable().optional(),
    ongoing: z.literal(true).optional(),
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
        description: `with eventId ${EVENT_RETAIN_DAYS.min} to ${EVENT_RETAIN_DAYS.max} (default ${EVENT_RETAIN_DAYS.default}), ongoing ${ONGOING_RETAIN_DAYS.min} to ${ONGOING_RETAIN_DAYS.max} (default ${ONGOING_RETAIN_DAYS.default})`,
      }),
  })
  .superRefine((list, context) => {
    const ofEvent = typeof list.eventId === 'string';
    if (ofEvent === (list.ongoing === true)) {
      context.addIssue({ code: 'custom', path: [], message: 'exactly one of eventId and ongoing is needed' });
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
    'open: people can be enrolled; closed: enrolment was closed; ended: it was ended, or its retention deadline has passed',
  );
export type ListState = z.infer<typeof listStateSchema>;

/** Query of the lists: a page of all, of one event, or of the ongoing ones. */
const listListsQuerySchema = pageQuerySchema.extend({
  eventId: idSchema('evt').optional().describe('the list of this event; an empty page where it has none'),
  ongoing: z.literal('true').optional().describe('lists without an event'),
  metadata: metadataFilterSchema,
});
export type ListQuery = z.infer<typeof listListsQuerySchema>;

export const listSchema = z
  .object({
    listId: idSchema('lst'),
    name: nameSchema,
    state: listStateSchema,
    people: countSchema.describe(
      'enrolled people. People who are due are counted until the service has removed them, within minutes; none after the list’s retention deadline',
    ),
    devices: countSchema.describe('devices, without revoked ones'),
    eventId: idSchema('evt').nullable().describe('null for an ongoing list'),
    country: countrySchema.nullable(),
    consentVersion: consentVersionSchema,
    modelId: modelIdSchema.describe('the recognition model of new enrolments'),
    enrollmentClosed: z.boolean(),
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
      .describe('when the secret was made that signs check-ins; null: there is none, and devices send nothing'),
    retainDays: z.int(),
    retentionDeadline: timestampSchema.nullable().describe('null for an ongoing list'),
    endedAt: timestampSchema.nullable().describe('null while the list has not been ended'),
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
  engineId: z.string().describe('what devices call the model'),
  people: z.int().min(0).describe('whose time has not come and who are served to devices'),
});

/** A list with its counts, as answered for a single list. */
const countedListSchema = listSchema
  .extend({
    models: z
      .array(modelCountSchema)
      .describe('the model of new enrolments first, then the others that people are left of'),
  })
  .register(responseSchemas, { id: 'CountedList' });
export type CountedListResource = z.infer<typeof countedListSchema>;

/** What ending, closing or deleting a list would do now. */
const listImpactSchema = z
  .object({
    people: countSchema.describe('people whose faces are deleted with the list'),
    firstDeleteAfter: timestampSchema.nullable().describe('when the first of them is due; null for nobody'),
    lastDeleteAfter: timestampSchema.nullable().describe('when the last of them is due; null for nobody'),
    devices: countSchema.describe('devices, which wipe at their next sync once the list is deleted'),
    devicesWithCopy: countSchema.describe('those of them that have synced, and so hold people'),
    lastSyncAt: timestampSchema.nullable().describe('the latest sync of any of them; null for none'),
    validTokens: countSchema.describe(
      'enrolment tokens and guest links that can still be used, and could not after a close, an end or a deletion',
    ),
    guestLinks: countSchema.describe('those of them that are guest links'),
  })
  .register(responseSchemas, { id: 'ListImpact' });
export type ListImpact = z.infer<typeof listImpactSchema>;

const changeModelRequestSchema = z
  .object({ modelId: modelIdSchema.optional().describe('the deployment’s standard model when left out') })
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
    summary: 'Create a list of an event, or an ongoing one',
    description:
      'Exactly one of `eventId` and `ongoing` is needed. `consentVersion` follows from the list’s country, else the account’s, else the billing currency.',
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
    summary: 'List the lists',
    description:
      'One page, newest first; follow `nextCursor` until it is null. With `eventId` the list of one event, with `ongoing=true` those without an event; both at once match none.',
    query: listListsQuerySchema,
    success: { description: 'a page of lists, newest first', schema: listSchema, example: list },
  },
  getList: {
    summary: 'Read a list',
    description:
      'Read it before asking for consent: `consentVersion` is the only wording that an enrolment may carry. `models` tells how many people there are of each model.',
    success: { description: 'the list', schema: countedListSchema, example: counted },
  },
  updateList: {
    summary: 'Change a list’s name or metadata, or what its devices do',
    description:
      'What is absent stays. Devices have it from their next sync on. `headTurnAlternative` `staff` is for devices that staff operate: who presses the button confirms; `light` is for devices whose screen faces the person. Devices that cannot serve an `unattended` list erase their copy of it.',
    request: { schema: updateListRequestSchema, example: { headTurnAlternative: 'staff' } },
    success: { description: 'the list', schema: listSchema, example: { ...list, headTurnAlternative: 'staff' } },
    errors: ['check-in-origin-not-allowed'],
    audit: 'list.update',
  },
  rotateCheckInSecret: {
    summary: 'Make or replace the secret that signs a list’s check-ins',
    description:
      'The secret of Standard Webhooks by which the receiver at `checkInUrl` verifies what devices send. Each device has it from its next sync on, and signs with the former one until then: let the receiver accept both for a day. Devices send nothing before there is a secret.',
    success: {
      description: 'the secret, shown only once',
      schema: checkInSecretSchema,
      example: { secret: EXAMPLE_WEBHOOK_SECRET },
    },
    audit: 'list.rotate-check-in-secret',
  },
  getListImpact: {
    summary: 'Read what closing, ending or deleting a list would do',
    description:
      'Numbers to confirm such an act by, as they are now. Nothing is changed or reserved: people may enrol and devices sync between this answer and the act.',
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
    summary: 'Close enrolment of a list, permanently',
    description: 'Nobody can be enrolled any more. People already enrolled stay. A second close answers the same.',
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
      'From now on enrolments use this model. A template cannot be converted without a photo: people keep theirs, and are recognised by it, until they enrol again. Setting the model that the list already has changes nothing.',
    request: { schema: changeModelRequestSchema, required: false, example: { modelId: exampleModelId } },
    success: { description: 'the list', schema: listSchema, example: list },
    errors: ['list-ended', 'enrolment-closed', 'model-unavailable'],
    audit: 'list.change-model',
  },
  endList: {
    summary: 'End a list',
    description:
      'Nobody can be enrolled any more. Faces stay until their time, and devices keep verifying. A second end answers the same. For ten minutes it can be undone.',
    success: {
      description: 'the list, ended',
      schema: listSchema,
      example: { ...list, state: 'ended', endedAt: '2026-09-01T00:00:00.000Z' },
    },
    audit: 'list.end',
  },
  undoEndList: {
    summary: 'Take the end of a list back',
    description:
      'Within ten minutes of it, and before the list’s retention deadline. Enrolment that was closed stays closed, mails that were not sent meanwhile stay unsent, and a `list.ended` that was told is followed by `list.resumed`. A list that was not ended stays as it is.',
    success: { description: 'the list', schema: listSchema, example: list },
    errors: ['list-ended'],
    audit: 'list.undo-end',
  },
  deleteList: {
    summary: 'Delete a list and every face in it',
    description: 'The list’s key is destroyed first. Its devices wipe at their next sync.',
    success: { status: 204, description: 'deleted' },
    audit: 'list.delete',
  },
} satisfies Descriptions;
