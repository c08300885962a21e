import * as z from 'zod';
import { base64Error, isBase64 } from '../base64.ts';
import {
  consentVersionSchema,
  countSchema,
  exampleModelId,
  languageTagSchema,
  modelIdSchema,
  pageQuerySchema,
  requestSchemas,
  responseSchemas,
  sha256HexSchema,
  timestampInputSchema,
  timestampSchema,
} from '../common.ts';
import {
  type ConsentVersion,
  consentVersionPublishedAt,
  consentVersions,
  EARLIEST_PAPER_CONSENT,
  PAPER_FORM_VERSION,
} from '../consent-version.ts';
import { MAX_ADDITIONAL_IMAGES, MAX_CONSENT_AHEAD_MS, MAX_PERSON_ID_CODE_POINTS } from '../limits.ts';
import { metadataChangeSchema, metadataFilterSchema, metadataSchema } from '../metadata.ts';
import { photoRefusals } from '../photo-refusals.ts';
import { isText, textSchema } from '../text.ts';
import type { Descriptions } from './descriptions.ts';
import type { FieldError } from './problem.ts';

/** The caller's own identifier of a person: 1 to 200 code points without NUL and lone surrogates; not normalised. */
export const personIdSchema = textSchema(MAX_PERSON_ID_CODE_POINTS).describe('your own ID of the person or ticket');

/** True for a valid personId; used for path parameters. */
export function isPersonId(text: string): boolean {
  return isText(text, MAX_PERSON_ID_CODE_POINTS);
}

const ticked = z.literal(true, { error: 'must be true: the person must tick this box' });

const boxes = z.object({
  consentVersion: z.string().meta({ description: 'must be the list’s `consentVersion`', examples: ['eu-v2'] }),
  explicitBiometricConsent: ticked.describe('whether the person ticked this box of the wording; must be true'),
  writtenRelease: ticked.describe('whether the person ticked this box of the wording; must be true'),
  under16: z.boolean().default(false).describe('whether the person is under 16'),
  guardianConsent: z.boolean().default(false).describe('must be true if `under16` is true'),
});
const hasGuardian = (consent: { readonly under16: boolean; readonly guardianConsent: boolean }) =>
  !consent.under16 || consent.guardianConsent;
const guardianRule = { path: ['guardianConsent'], error: 'must be true for a person under 16' };

/** A form of the organiser's own that the person signed on paper. */
const paperFormSchema = z
  .object({
    version: z
      .string()
      .regex(PAPER_FORM_VERSION, { error: 'must be 1 to 64 letters, digits, dots, hyphens or underscores' })
      .describe('your own name for this version of the form'),
    wordingSha256: sha256HexSchema.describe('SHA-256 of the form’s file, in lower-case hex'),
    language: languageTagSchema.optional().describe('language of the form (BCP 47)'),
  })
  .describe(
    'for a consent signed on paper: your own form, which must say everything that the list’s wording says. `givenAt` is then the day of the signature, and can be before the wording was published. The ledger records the form instead of the wording',
  );

/**
 * What the person agreed to. `consentVersion` may be any string here: a version other than the list's is answered with
 * 409.
 */
export const consentSchema = boxes
  .extend({
    givenAt: timestampInputSchema.describe(
      'when the person consented; at most five minutes ahead of the service’s clock',
    ),
    paperForm: paperFormSchema.optional(),
  })
  .refine(hasGuardian, guardianRule)
  .register(requestSchemas, { id: 'Consent' });
export type Consent = z.infer<typeof consentSchema>;

/**
 * As {@link consentSchema} without `givenAt`: in the widget the service sets the time, as a guest's clock may be wrong.
 */
export const guestConsentSchema = boxes.refine(hasGuardian, guardianRule);

const isConsentVersion = (text: string): text is ConsentVersion => consentVersions.some((version) => version === text);

/**
 * Rules of `givenAt` that need the clock: at most five minutes in the future, and not before the wording was published,
 * unless a form was signed on paper. Null when they hold; for an unknown version only the first rule is checked.
 */
export function consentTimeError(
  { consentVersion, givenAt, paperForm }: Pick<Consent, 'consentVersion' | 'givenAt' | 'paperForm'>,
  nowMs: number,
): FieldError | null {
  const givenAtMs = Date.parse(givenAt);
  const pointer = '/consent/givenAt';
  if (givenAtMs > nowMs + MAX_CONSENT_AHEAD_MS) return { pointer, detail: 'must not be in the future' };
  const publishedAt = isConsentVersion(consentVersion) ? consentVersionPublishedAt[consentVersion] : null;
  const earliest = paperForm === undefined ? publishedAt : EARLIEST_PAPER_CONSENT;
  if (earliest === null || givenAtMs >= Date.parse(earliest)) return null;
  const why = paperForm === undefined ? ', when this wording was published' : '';
  return { pointer, detail: `must not be before ${earliest}${why}` };
}

/** A photo in a JSON body: base64 with or without line breaks and padding. */
export const imageBase64Schema = z
  .string()
  .refine(isBase64, { error: ({ input }) => base64Error(String(input)) })
  .meta({ contentEncoding: 'base64', contentMediaType: 'image/jpeg', description: 'a JPEG or PNG with one face' });

/** Whether a JSON pointer into one enrolment, or into a batch of them, refers to a photo. */
export const isPhotoPointer = (pointer: string): boolean =>
  /^(\/people\/[0-9]+)?\/(imageBase64|additionalImagesBase64\/[0-9]+)$/.test(pointer);

/** The name of a photo's part in a form: `photo`, `additionalPhoto`, or of the third of a batch's people `photo.2`. */
const PHOTO_PART = /^(photo|additionalPhoto)(?:\.(0|[1-9][0-9]{0,2}))?$/;

/**
 * Where the photo of a form's part stands in the same body as JSON.
 * @param before how many parts of that name came before
 * @returns a JSON pointer; null for a part that is no photo, and for a second first photo
 */
export function photoPointerOf(part: string, before: number): string | null {
  const [, kind, index] = PHOTO_PART.exec(part) ?? [];
  if (kind === undefined || (kind === 'photo' && before > 0)) return null;
  const person = index === undefined ? '' : `/people/${index}`;
  return `${person}/${kind === 'photo' ? 'imageBase64' : `additionalImagesBase64/${before}`}`;
}

/** The source of a photo as its sender declares it; it cannot be proved. */
export const takenBySchema = z
  .enum(['camera', 'file'])
  .describe('where the photo comes from, as declared by you; must be `camera` if the list’s `photoSource` is `camera`');
export type TakenBy = z.infer<typeof takenBySchema>;

export const enrolPersonRequestSchema = z
  .object({
    personId: personIdSchema,
    consent: consentSchema,
    imageBase64: imageBase64Schema,
    metadata: metadataChangeSchema,
    photoSource: takenBySchema.optional(),
    additionalImagesBase64: z
      .array(imageBase64Schema)
      .refine(({ length }) => length >= 1 && length <= MAX_ADDITIONAL_IMAGES, {
        error: `must contain 1 to ${MAX_ADDITIONAL_IMAGES} photos, or be left out`,
      })
      .optional()
      .meta({
        minItems: 1,
        maxItems: MAX_ADDITIONAL_IMAGES,
        description: 'more photos of the same person; the face template is the mean over all photos',
      }),
  })
  .register(requestSchemas, { id: 'EnrolPersonRequest' });
export type EnrolPersonRequest = z.infer<typeof enrolPersonRequestSchema>;

const putPersonRequestSchema = enrolPersonRequestSchema
  .omit({ personId: true })
  .register(requestSchemas, { id: 'PutPersonRequest' });

/** Answer of an enrolment. */
export const enrolledPersonSchema = z
  .object({
    personId: personIdSchema,
    modelId: modelIdSchema.describe('the recognition model that made the face template'),
    deleteAfter: timestampSchema.describe('when the face is deleted'),
  })
  .register(responseSchemas, { id: 'EnrolledPerson' });
export type EnrolledPerson = z.infer<typeof enrolledPersonSchema>;

/** What a person's record means for the list's devices. */
export const personStates = ['enrolled', 'other-model', 'leaving'] as const;
export type PersonState = (typeof personStates)[number];

const personStateSchema = z
  .enum(personStates)
  .describe(
    '`enrolled`: the template is from the list’s current model. `other-model`: the template is from another model, and devices recognise the person by it until they enrol again. `leaving`: on an ongoing list, less than 24 hours before `deleteAfter`; devices no longer get the person',
  );

/** A person of a list, without face data. */
export const personSchema = enrolledPersonSchema
  .extend({
    consentVersion: consentVersionSchema,
    enrolledAt: timestampSchema.describe('when the person was first enrolled; replacing the face keeps it'),
    state: personStateSchema,
    metadata: metadataSchema.optional(),
  })
  .register(responseSchemas, { id: 'Person' });
export type PersonResource = z.infer<typeof personSchema>;

/** Orders of a list's people. */
const personOrders = ['oldest', 'newest', 'personId', 'deadline'] as const;
export type PersonOrder = (typeof personOrders)[number];

/** Selects people of a list; what is absent selects nothing away. */
const personFilter = {
  modelId: modelIdSchema.optional().describe('only people whose template is from this model'),
  personIdPrefix: personIdSchema.optional().describe('only people whose personId starts with this; case-sensitive'),
  deleteBefore: timestampInputSchema
    .optional()
    .describe('only people whose `deleteAfter` is before this time; ISO 8601 in UTC, ending in `Z`'),
  metadata: metadataFilterSchema,
};

/** Query of a list's people, optionally filtered and in an order of choice. */
const personQuerySchema = pageQuerySchema.extend({
  personId: z.string().optional().describe('your own ID of the person'),
  ...personFilter,
  search: personIdSchema
    .optional()
    .describe(
      'only people whose personId contains this, ignoring case. A page can have fewer items than `limit`, or none, even if more follow: continue until `nextCursor` is null',
    ),
  state: personStateSchema.optional(),
  order: z
    .enum(personOrders)
    .optional()
    .describe(
      '`oldest` or `newest` first enrolment first, `personId` by code points, or `deadline` for the earliest `deleteAfter` first. Default `oldest`, or `personId` with `personIdPrefix`',
    ),
});
export type PersonQuery = z.infer<typeof personQuerySchema>;

/** Query of the counts of a list's people. */
const peopleSummaryQuerySchema = z.object(personFilter);

/** How many people a list has, by state. */
const peopleSummarySchema = z
  .object({
    people: countSchema.describe('sum of `enrolled`, `otherModel` and `leaving`'),
    enrolled: countSchema,
    otherModel: countSchema,
    leaving: countSchema,
    nextDeadline: timestampSchema.nullable().describe('the earliest `deleteAfter`; null if there are no people'),
  })
  .register(responseSchemas, { id: 'PeopleSummary' });
export type PeopleSummary = z.infer<typeof peopleSummarySchema>;

/** What can be changed of a person without a photo. */
const updatePersonRequestSchema = z
  .object({ metadata: metadataChangeSchema })
  .register(requestSchemas, { id: 'UpdatePersonRequest' });

/** Query of an erasure. */
export const eraseQuerySchema = z.object({
  reason: z
    .literal('consent-withdrawn', { error: 'must be consent-withdrawn, or absent' })
    .optional()
    .describe('send this if the person withdrew consent, so that the consent ledger records the withdrawal'),
});

/** {@link eraseQuerySchema} with `personId` as a query parameter. */
const eraseByQuerySchema = eraseQuerySchema.extend({
  personId: z.string({ error: 'must be given' }).describe('your own ID of the person'),
});

export const exampleEnrolment = {
  personId: 'T-8F3K2M9QXW4Z7B1C',
  consent: {
    consentVersion: 'eu-v2',
    givenAt: '2027-06-01T09:30:00Z',
    explicitBiometricConsent: true,
    writtenRelease: true,
  },
  imageBase64: '/9j/4AAQSkZJRgABAQAAAQABAAD/2wBD',
} as const;
export const exampleEnrolled = {
  personId: exampleEnrolment.personId,
  modelId: exampleModelId,
  deleteAfter: '2027-06-20T23:00:00.000Z',
} as const;
export const examplePerson = {
  ...exampleEnrolled,
  consentVersion: 'eu-v2',
  enrolledAt: '2027-06-01T09:31:00.000Z',
  state: 'enrolled',
  metadata: { order: '8812-A' },
} as const;

const { personId: _inPath, ...exampleReplacement } = exampleEnrolment;

/** Error codes of an enrolment, in addition to those of every operation. */
export const enrolmentErrors = [
  ...(['no-plan', 'plan-limit-reached', 'test-limit-reached', 'list-ended', 'enrolment-closed'] as const),
  ...(['consent-version-mismatch', 'camera-required', ...photoRefusals] as const),
  ...(['not-a-test-photo', 'different-person', 'overloaded', 'model-missing'] as const),
] as const;

export const personOperations = {
  enrolPerson: {
    summary: 'Enrol a person',
    description:
      'Creates a face template from one photo, or the mean of several photos of the same person; no photo is ever stored or logged. If an additional photo is refused, `errors[]` points at it. Enrolling an existing personId replaces the face and also returns 201. Consent is checked before the photo is decoded. After the event’s end you can still enrol people until the list’s retention deadline (then `list-ended`); guests’ tokens end with the event.',
    request: { schema: enrolPersonRequestSchema, photos: 'person', example: exampleEnrolment },
    success: {
      status: 201,
      description: 'enrolled, or the face replaced',
      schema: enrolledPersonSchema,
      example: exampleEnrolled,
      headers: { Location: 'path of the person' },
    },
    errors: enrolmentErrors,
  },
  putPerson: {
    summary: 'Enrol a person, or replace the person’s face',
    description:
      'Like the POST, with the personId in the path: returns 201 for a new person, 200 if a face was replaced. URL parsers resolve the personIds `.` and `..`; use the POST for them.',
    request: { schema: putPersonRequestSchema, photos: 'person', example: exampleReplacement },
    success: {
      description: 'face replaced',
      created: 'enrolled',
      schema: enrolledPersonSchema,
      example: exampleEnrolled,
    },
    errors: enrolmentErrors,
  },
  listPeople: {
    summary: 'List the people of a list',
    description:
      'Returns one page, without people past their `deleteAfter`. If you combine filters, people must match all of them.',
    query: personQuerySchema,
    success: {
      description: 'a page of people; no face data',
      schema: personSchema,
      example: examplePerson,
    },
  },
  getPeopleSummary: {
    summary: 'Count the people of a list',
    description:
      'Returns the number of people by state and the earliest `deleteAfter`. With filters, only matching people count. People past their `deleteAfter` do not count.',
    query: peopleSummaryQuerySchema,
    success: {
      description: 'the counts',
      schema: peopleSummarySchema,
      example: { people: 1204, enrolled: 1180, otherModel: 21, leaving: 3, nextDeadline: exampleEnrolled.deleteAfter },
    },
  },
  deletePersonByQuery: {
    summary: 'Erase a person’s face, by query parameter',
    description:
      'The same as `DELETE` with the personId in the path, but also works for the personIds `.` and `..`, which URL parsers resolve.',
    query: eraseByQuerySchema,
    success: { status: 204, description: 'erased' },
    audit: 'person.erase',
  },
  getPerson: {
    summary: 'Read a person',
    description: 'Returns what is stored of the person, without face data. Returns 404 after `deleteAfter`.',
    success: { description: 'the person; no face data', schema: personSchema, example: examplePerson },
  },
  updatePerson: {
    summary: 'Change a person’s metadata',
    description:
      'Keys that you leave out stay. Metadata is stored encrypted until the face is deleted, and never appears in notifications, syncs or logs. It stays when the person enrols again, unless that request changes it.',
    request: { schema: updatePersonRequestSchema, example: { metadata: { seat: 'C 14', order: null } } },
    success: {
      description: 'the person; no face data',
      schema: personSchema,
      example: { ...examplePerson, metadata: { seat: 'C 14' } },
    },
    audit: 'person.update',
  },
  deletePerson: {
    summary: 'Erase a person’s face',
    description: 'Devices delete it at their next sync. The person still counts on the bill of the current period.',
    query: eraseQuerySchema,
    success: { status: 204, description: 'erased' },
    audit: 'person.erase',
  },
} satisfies Descriptions;
