import * as z from 'zod';
import {
  accountModeSchema,
  consentVersionSchema,
  languageTagSchema,
  nameSchema,
  requestSchemas,
  responseSchemas,
  timestampSchema,
} from '../common.ts';
import { MAX_PHOTO_ATTEMPTS } from '../limits.ts';
import { photoRefusals } from '../photo-refusals.ts';
import { shownBrandSchema } from './brand.ts';
import type { Descriptions } from './descriptions.ts';
import { eventShownSchema, organiserSchema } from './events.ts';
import { photoSourceSchema } from './lists.ts';
import { guestConsentSchema, imageBase64Schema, takenBySchema } from './people.ts';
import { consentWordingSchema } from './wording.ts';

const sha256HexSchema = z
  .string()
  .regex(/^[0-9a-f]{64}$/, { error: 'must be a SHA-256 in lower-case hex' })
  .meta({ examples: ['9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'] });

/** Query of the session; `language` overrides the browser's `Accept-Language`. */
const widgetSessionQuerySchema = z.object({
  language: languageTagSchema
    .optional()
    .describe('language of the wording (BCP 47); without it, `Accept-Language` decides'),
});

/** Everything that the widget shows; nothing in it identifies the ticket holder. */
export const widgetSessionSchema = organiserSchema
  .extend({
    eventName: nameSchema,
    event: eventShownSchema,
    consentVersion: consentVersionSchema,
    language: languageTagSchema.describe('of the wording; en where the guest’s is not offered'),
    languages: z.array(languageTagSchema).describe('in which the wording is offered'),
    wording: consentWordingSchema,
    wordingSha256: sha256HexSchema.describe('sent back with the consent: which wording was shown'),
    photoSource: photoSourceSchema,
    attemptsLeft: z.int().min(0).max(MAX_PHOTO_ATTEMPTS),
    expiresAt: timestampSchema.describe('when the token expires'),
    deleteAfter: timestampSchema.describe('when a face enrolled now is deleted'),
    brand: shownBrandSchema.nullable().describe('how the organiser wants the widget to look'),
    preview: z.boolean().describe('true: a preview for the organiser, with which nobody can be enrolled'),
    mode: accountModeSchema.optional().describe('test: a drawing is sent, and the page says so; absent: live'),
  })
  .register(responseSchemas, { id: 'WidgetSession' });
export type WidgetSession = z.infer<typeof widgetSessionSchema>;

const guestEnrolmentRequestSchema = z
  .object({
    consent: guestConsentSchema,
    language: languageTagSchema.describe('of the wording that was shown'),
    wordingSha256: sha256HexSchema.describe('of the wording that was shown'),
    imageBase64: imageBase64Schema,
    photoSource: takenBySchema.optional(),
  })
  .register(requestSchemas, { id: 'GuestEnrolmentRequest' });

/** Answer of an enrolment in the widget. */
const enrolledGuestSchema = z
  .object({ deleteAfter: timestampSchema.describe('when the face data is deleted') })
  .register(responseSchemas, { id: 'EnrolledGuest' });
export type EnrolledGuest = z.infer<typeof enrolledGuestSchema>;

/** Errors of a token that is no longer usable. */
const TOKEN = ['token-expired', 'token-used', 'token-exhausted', 'account-suspended'] as const;

export const widgetOperations = {
  getWidgetSession: {
    summary: 'Read what the widget shows',
    description:
      'Nothing in it tells whose ticket it is. Reading it changes nothing. If the token can no longer be used, the problem’s `token` says what became of it.',
    query: widgetSessionQuerySchema,
    success: {
      description: 'organiser, wording and what is left of the token',
      schema: widgetSessionSchema,
      headers: { 'Content-Language': 'of the wording' },
    },
    errors: [...TOKEN, 'list-ended', 'enrolment-closed'],
  },
  enrolGuest: {
    summary: 'Enrol the guest of the token',
    description:
      'Consent and photo in one. The service notes when, and which wording was shown. An unusable photo costs one of five attempts; the problem says how many are left. Success spends every open token for the ticket. A retry with the same `Idempotency-Key` gets the same answer for 24 hours.',
    request: {
      schema: guestEnrolmentRequestSchema,
      photos: 'person',
      example: {
        consent: { consentVersion: 'eu-v2', explicitBiometricConsent: true, writtenRelease: true },
        language: 'de',
        wordingSha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
        imageBase64: '/9j/4AAQSkZJRgABAQAAAQABAAD/2wBD',
      },
    },
    success: {
      status: 201,
      description: 'enrolled',
      schema: enrolledGuestSchema,
      example: { deleteAfter: '2026-06-20T23:00:00.000Z' },
    },
    errors: [
      ...TOKEN,
      'no-plan',
      'plan-limit-reached',
      'test-limit-reached',
      'list-ended',
      'enrolment-closed',
      'consent-version-mismatch',
      'camera-required',
      'preview-only',
      'photo-in-progress',
      ...photoRefusals,
      'not-a-test-photo',
      'overloaded',
      'model-missing',
    ],
  },
  declineEnrolment: {
    summary: 'Note that the guest chose the standard entrance',
    description:
      'Spends the token. Takes no body. Possible as long as the token is valid, also when enrolment was closed meanwhile. A retry with the same `Idempotency-Key` gets the same answer for 24 hours.',
    success: { status: 204, description: 'declined' },
    errors: [...TOKEN, 'preview-only'],
  },
  undoDecline: {
    summary: 'Take declining back',
    description:
      'Makes the token usable again. Takes no body, and the `Idempotency-Key` of the decline: only the page in which the guest declined knows it. Possible for half an hour, and not past the token’s expiry. A token that was not declined stays as it is.',
    success: { status: 204, description: 'the token can be used' },
    errors: [...TOKEN, 'preview-only'],
  },
} satisfies Descriptions;
