import * as z from 'zod';
import { base64Error, isBase64 } from '../base64.ts';
import { type ConsentVersion, consentVersionPublishedAt, consentVersions } from '../consent-version.ts';
import { MAX_ADDITIONAL_IMAGES, MAX_CONSENT_AHEAD_MS, MAX_PERSON_ID_CODE_POINTS } from '../limits.ts';
import type { FieldError } from '../problem.ts';
import { isText, textSchema } from '../text.ts';
import {
  collectionSchema,
  consentVersionSchema,
  modelIdSchema,
  pageQuerySchema,
  timestampInputSchema,
  timestampSchema,
} from './common.ts';

/** The caller's own identifier of a person: 1 to 200 code points, no NUL, no lone surrogate, taken as it is (no normalisation). */
export const personIdSchema = textSchema(MAX_PERSON_ID_CODE_POINTS);

/** True for a valid personId; for the one in a path. */
export function isPersonId(text: string): boolean {
  return isText(text, MAX_PERSON_ID_CODE_POINTS);
}

const ticked = z.literal(true, { error: 'must be true: the person has to tick this box' });

const boxes = z.object({
  consentVersion: z.string().meta({ examples: ['eu-v2'] }),
  explicitBiometricConsent: ticked,
  writtenRelease: ticked,
  under16: z.boolean().default(false),
  guardianConsent: z.boolean().default(false).meta({ description: 'must be true when under16 is true' }),
});
const hasGuardian = (consent: { readonly under16: boolean; readonly guardianConsent: boolean }) =>
  !consent.under16 || consent.guardianConsent;
const guardianRule = { path: ['guardianConsent'], error: 'must be true for a person under 16' };

/** What the person agreed to. That `consentVersion` is the list's is a conflict (409) and no matter of shape, so any string passes here. */
export const consentSchema = boxes.extend({ givenAt: timestampInputSchema }).refine(hasGuardian, guardianRule);
export type Consent = z.infer<typeof consentSchema>;

/** As {@link consentSchema}, given in the widget: the service's clock says when, the guest's may be wrong. */
export const guestConsentSchema = boxes.refine(hasGuardian, guardianRule);

const isConsentVersion = (text: string): text is ConsentVersion => consentVersions.some((version) => version === text);

/**
 * The rules of `givenAt` that no schema can hold: at most five minutes ahead of the clock, for clocks that are not set alike, and not
 * before the wording was published. Null when they hold; of a version that is none only the first is asked.
 */
export function consentTimeError(
  { consentVersion, givenAt }: Pick<Consent, 'consentVersion' | 'givenAt'>,
  nowMs: number,
): FieldError | null {
  const givenAtMs = Date.parse(givenAt);
  const pointer = '/consent/givenAt';
  if (givenAtMs > nowMs + MAX_CONSENT_AHEAD_MS) return { pointer, detail: 'must not lie in the future' };
  const publishedAt = isConsentVersion(consentVersion) ? consentVersionPublishedAt[consentVersion] : null;
  if (publishedAt === null || givenAtMs >= Date.parse(publishedAt)) return null;
  return { pointer, detail: `must not lie before ${publishedAt}, when this wording was published` };
}

/** A photo in a JSON body: base64 with or without line breaks and padding. */
export const imageBase64Schema = z
  .string()
  .refine(isBase64, { error: ({ input }) => base64Error(typeof input === 'string' && input.startsWith('data:')) })
  .meta({ contentEncoding: 'base64', contentMediaType: 'image/jpeg', description: 'a JPEG or PNG with one face' });

/** Whether a JSON pointer into a request that enrols leads to a photo. */
export const isPhotoPointer = (pointer: string): boolean =>
  /^\/(imageBase64|additionalImagesBase64\/[0-9]+)$/.test(pointer);

/** Whoever sends a photo says where it is from; nobody can prove it. */
export const takenBySchema = z.enum(['camera', 'file']).meta({
  description: 'where the photo is from, as its sender says; needed where the list’s photoSource is camera',
});
export type TakenBy = z.infer<typeof takenBySchema>;

export const enrolPersonRequestSchema = z.object({
  personId: personIdSchema,
  consent: consentSchema,
  imageBase64: imageBase64Schema,
  photoSource: takenBySchema.optional(),
  additionalImagesBase64: z
    .array(imageBase64Schema)
    .refine(({ length }) => length >= 1 && length <= MAX_ADDITIONAL_IMAGES, {
      error: `must hold 1 to ${MAX_ADDITIONAL_IMAGES} photos, or be left out`,
    })
    .optional()
    .meta({
      minItems: 1,
      maxItems: MAX_ADDITIONAL_IMAGES,
      description: 'further photos of the same person: the template is the mean of all',
    }),
});
export type EnrolPersonRequest = z.infer<typeof enrolPersonRequestSchema>;

/** Answer of an enrolment. */
export const enrolledPersonSchema = z.object({
  personId: personIdSchema,
  modelId: modelIdSchema.meta({ description: 'the recognition model that made the template' }),
  deleteAfter: timestampSchema.meta({ description: 'when the face data is deleted' }),
});
export type EnrolledPerson = z.infer<typeof enrolledPersonSchema>;

/** A person of a list; no face data is ever in it. */
export const personSchema = enrolledPersonSchema.extend({
  consentVersion: consentVersionSchema,
  enrolledAt: timestampSchema,
});
export type PersonResource = z.infer<typeof personSchema>;

export const personCollectionSchema = collectionSchema(personSchema);

/** Query of the people of a list: a page of them, or the one who is named; all, or those of one model. */
export const personQuerySchema = pageQuerySchema.extend({
  personId: z.string().optional(),
  modelId: modelIdSchema.optional(),
});
