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
      .describe('never ticked beforehand; guardianConsent is shown where under16 is ticked'),
    decline: block.describe('the other way out: the standard entrance'),
    withdraw: block.describe('how to withdraw; the end of the text, shown again when the guest is enrolled'),
  })
  .describe('texts may hold {organiser}, {privacyUrl} and {deletionDate}')
  .register(responseSchemas, { id: 'ConsentWording' });
export type ConsentWording = z.infer<typeof consentWordingSchema>;

/** The published wording, for organisers that show it themselves. */
const publishedWordingSchema = z
  .object({
    consentVersion: consentVersionSchema,
    language: block.describe('of the wording in this answer; en where the one asked for is not offered'),
    languages: z.array(block).describe('in which this version is offered'),
    draft: z.boolean().describe('true: a draft for the organiser’s counsel. Not for the guest’s eyes'),
    wordingSha256: z
      .string()
      .regex(/^[0-9a-f]{64}$/)
      .describe('SHA-256, in hex, of `wording` in canonical form (RFC 8785), placeholders as they are'),
    wording: consentWordingSchema,
  })
  .register(responseSchemas, { id: 'PublishedWording' });
export type PublishedWordingResource = z.infer<typeof publishedWordingSchema>;

/** Query of the wording; `language` overrides `Accept-Language`. */
const wordingQuerySchema = z.object({
  language: z.string().min(1).max(35).optional().describe('BCP 47; `de-AT` is answered in `de`'),
});

export const wordingOperations = {
  getConsentWording: {
    summary: 'Read a consent wording',
    description:
      'For organisers who show the wording themselves. `{organiser}`, `{privacyUrl}` and `{deletionDate}` are to be filled in. Without `language`, `Accept-Language` decides; a language that is not offered is answered in English, and `language` says so. `wordingSha256` is the SHA-256 of `wording` in canonical form (RFC 8785) before anything is filled in.',
    query: wordingQuerySchema,
    success: {
      description: 'the wording',
      schema: publishedWordingSchema,
      headers: { 'Content-Language': 'of the wording' },
    },
  },
} satisfies Descriptions;
