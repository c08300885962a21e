import * as z from 'zod';
import { MAX_PHOTO_ATTEMPTS } from '../limits.ts';
import { consentVersionSchema, nameSchema, timestampSchema } from './common.ts';
import { widgetSettingsSchema } from './events.ts';
import { photoSourceSchema } from './lists.ts';
import { guestConsentSchema, imageBase64Schema, takenBySchema } from './people.ts';
import { consentWordingSchema } from './wording.ts';

/** A language tag of the length and the letters of BCP 47; one that is not offered is no error. */
const languageTagSchema = z
  .string()
  .max(35, { error: 'must be a language tag (BCP 47)' })
  .regex(/^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$/, { error: 'must be a language tag (BCP 47)' })
  .meta({ examples: ['de'] });

const sha256HexSchema = z
  .string()
  .regex(/^[0-9a-f]{64}$/, { error: 'must be a SHA-256 in lower-case hex' })
  .meta({ examples: ['9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'] });

/** Query of the session; without a language the browser's `Accept-Language` decides. */
export const widgetSessionQuerySchema = z.object({ language: languageTagSchema.optional() });

/** Everything that the widget shows; nothing of it tells who the ticket's holder is. */
export const widgetSessionSchema = widgetSettingsSchema.extend({
  eventName: nameSchema,
  consentVersion: consentVersionSchema,
  language: languageTagSchema.meta({ description: 'of the wording; en where the guest’s is not offered' }),
  languages: z.array(languageTagSchema).meta({ description: 'in which the wording is offered' }),
  wording: consentWordingSchema,
  wordingSha256: sha256HexSchema.meta({ description: 'sent back with the consent: which wording was shown' }),
  photoSource: photoSourceSchema,
  attemptsLeft: z.int().min(0).max(MAX_PHOTO_ATTEMPTS),
  expiresAt: timestampSchema.meta({ description: 'when the token expires' }),
  deleteAfter: timestampSchema.meta({ description: 'when a face enrolled now is deleted' }),
});
export type WidgetSession = z.infer<typeof widgetSessionSchema>;

export const guestEnrolmentRequestSchema = z.object({
  consent: guestConsentSchema,
  language: languageTagSchema.meta({ description: 'of the wording that was shown' }),
  wordingSha256: sha256HexSchema.meta({ description: 'of the wording that was shown' }),
  imageBase64: imageBase64Schema,
  photoSource: takenBySchema.optional(),
});

/** Answer of an enrolment in the widget: all that the guest has to know. */
export const enrolledGuestSchema = z.object({
  deleteAfter: timestampSchema.meta({ description: 'when the face data is deleted' }),
});
export type EnrolledGuest = z.infer<typeof enrolledGuestSchema>;
