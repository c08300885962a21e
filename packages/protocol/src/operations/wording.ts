import * as z from 'zod';
import { consentVersionSchema, responseSchemas } from '../common.ts';
import type { Descriptions } from './descriptions.ts';

const block = z.string().min(1);

/**
 * The text before the checkboxes, and one label per boolean of the consent. `fillWording` replaces the placeholders.
 */
export const consentWordingSchema = z
  .object({
    consentVersion: consentVersionSchema,
    language: block.meta({ description: 'BCP 47', examples: ['de'] }),
    title: block,
    introduction: block,
    sections: z.array(z.object({ heading: block, text: block })).min(1),
    boxes: z
      .object({ explicitBiometricConsent: block, writtenRelease: block, under16: block, guardianConsent: block })
      .describe('labels of checkboxes. Never tick one beforehand; show `guardianConsent` once `under16` is ticked'),
    decline: block.describe('label for declining and using the standard entrance'),
    withdraw: block.describe('how to withdraw; show it with the checkboxes, and again once the guest is enrolled'),
  })
  .describe('texts can contain the placeholders `{organiser}`, `{privacyUrl}` and `{deletionDate}`')
  .register(responseSchemas, { id: 'ConsentWording' });
export type ConsentWording = z.infer<typeof consentWordingSchema>;

/** The published wording, for organisers that show it themselves. */
const publishedWordingSchema = z
  .object({
    consentVersion: consentVersionSchema,
    language: block.describe('language of this wording; `en` if the requested language is not available'),
    languages: z.array(block).describe('languages in which this version is available'),
    draft: z.boolean().describe('true: a draft that your lawyers must check first; not for guests to see'),
    wordingSha256: z
      .string()
      .regex(/^[0-9a-f]{64}$/)
      .describe('SHA-256 of `wording` as canonical JSON (RFC 8785), before placeholders are filled in; lower-case hex'),
    wording: consentWordingSchema,
  })
  .register(responseSchemas, { id: 'PublishedWording' });
export type PublishedWordingResource = z.infer<typeof publishedWordingSchema>;

/** Query of the wording; `language` overrides `Accept-Language`. */
const wordingQuerySchema = z.object({
  language: z.string().min(1).max(35).optional().describe('requested language (BCP 47); for `de-AT` you get `de`'),
});

export const wordingOperations = {
  getConsentWording: {
    summary: 'Read a consent wording',
    description:
      'For pages of your own that ask for consent. Fill in `{organiser}`, `{privacyUrl}` and `{deletionDate}`. Without `language`, `Accept-Language` decides. If the language is not available, you get English, and `language` in the response is `en`.',
    query: wordingQuerySchema,
    success: {
      description: 'the wording',
      schema: publishedWordingSchema,
      headers: { 'Content-Language': 'language of the wording' },
    },
  },
} satisfies Descriptions;
