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
    .describe('requested language of the wording (BCP 47); default: `Accept-Language` decides'),
});

/** Everything that the widget shows; nothing in it identifies the ticket holder. */
export const widgetSessionSchema = organiserSchema
  .extend({
    eventName: nameSchema,
    event: eventShownSchema,
    consentVersion: consentVersionSchema,
    language: languageTagSchema.describe('language of the wording; `en` if the requested language is not available'),
    languages: z.array(languageTagSchema).describe('languages in which the wording is available'),
    wording: consentWordingSchema,
    wordingSha256: sha256HexSchema.describe('hash of the wording; send it back with the consent'),
    photoSource: photoSourceSchema,
    attemptsLeft: z.int().min(0).max(MAX_PHOTO_ATTEMPTS).describe('how many more photos the guest can try'),
    expiresAt: timestampSchema.describe('when the token expires'),
    deleteAfter: timestampSchema.describe('when the face is deleted if the guest enrols now'),
    brand: shownBrandSchema.nullable().describe('the organiser’s looks for the widget; null if none are set'),
    preview: z.boolean().describe('whether this is a preview for the organiser, which cannot enrol anyone'),
    mode: accountModeSchema.optional().describe('`test`: the page says so and sends a drawing; absent: `live`'),
  })
  .register(responseSchemas, { id: 'WidgetSession' });
export type WidgetSession = z.infer<typeof widgetSessionSchema>;

const guestEnrolmentRequestSchema = z
  .object({
    consent: guestConsentSchema,
    language: languageTagSchema.describe('as in the widget session whose wording you showed'),
    wordingSha256: sha256HexSchema.describe('as in the widget session whose wording you showed'),
    imageBase64: imageBase64Schema,
    photoSource: takenBySchema.optional(),
  })
  .register(requestSchemas, { id: 'GuestEnrolmentRequest' });

/** Answer of an enrolment in the widget. */
const enrolledGuestSchema = z
  .object({ deleteAfter: timestampSchema.describe('when the face is deleted') })
  .register(responseSchemas, { id: 'EnrolledGuest' });
export type EnrolledGuest = z.infer<typeof enrolledGuestSchema>;

/** Errors of a token that is no longer usable. */
const TOKEN = ['token-expired', 'token-used', 'token-exhausted', 'account-suspended'] as const;

export const widgetOperations = {
  getWidgetSession: {
    summary: 'Read the widget session',
    description:
      'Returns what a page needs to ask for consent and a photo, but nothing about the ticket. Reading it does not use up the token. If the token can no longer be used, the problem’s `token` says why and what to show.',
    query: widgetSessionQuerySchema,
    success: {
      description: 'organiser, event, wording and attempts left',
      schema: widgetSessionSchema,
      headers: { 'Content-Language': 'language of the wording' },
    },
    errors: [...TOKEN, 'list-ended', 'enrolment-closed'],
  },
  enrolGuest: {
    summary: 'Enrol the guest',
    description:
      'Sends consent and photo together. The ledger records the service’s time and the wording that was shown. An unusable photo costs one of five attempts; the problem’s `attemptsLeft` says how many are left. Success uses up every open token for the ticket.',
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
    summary: 'Decline enrolment',
    description:
      'Records that the guest prefers the standard entrance, and uses up the token. Takes no body. Works as long as the token is valid, even if enrolment has been closed since.',
    success: { status: 204, description: 'declined' },
    errors: [...TOKEN, 'preview-only'],
  },
  undoDecline: {
    summary: 'Undo declining',
    description:
      'Makes the token usable again. Takes no body. Send the `Idempotency-Key` of the decline, which only the page where the guest declined knows. Works for half an hour after the decline, as long as the token has not expired. If the token was not declined, nothing changes.',
    success: { status: 204, description: 'the token can be used again' },
    errors: [...TOKEN, 'preview-only'],
  },
} satisfies Descriptions;
