import * as z from 'zod';
import { exampleId, idSchema, pageQuerySchema, responseSchemas, sha256HexSchema, timestampSchema } from '../common.ts';
import type { Descriptions } from './descriptions.ts';
import { personIdSchema } from './people.ts';

/** The members of a record that the ledger commits to: any change here is a new format of the ledger. */
const consentEntrySchema = z.strictObject({
  consentId: z.uuid(),
  listId: idSchema('lst'),
  personId: personIdSchema.nullable().describe('null only where what is stored was damaged'),
  kind: z.enum(['given', 'withdrawn']),
  recordedAt: timestampSchema,
  consentVersion: z
    .string()
    .min(1)
    .nullable()
    .describe(
      '`paper:` and a version of the organiser’s own for a form signed on paper; null in a withdrawal, as everything about what was shown and ticked',
    ),
  givenAt: timestampSchema.nullable(),
  explicitBiometricConsent: z.boolean().nullable(),
  writtenRelease: z.boolean().nullable(),
  under16: z.boolean().nullable(),
  guardianConsent: z.boolean().nullable(),
  shownBy: z.enum(['organiser', 'service']).nullable(),
  wordingSha256: sha256HexSchema
    .nullable()
    .describe('null where the organiser showed the wording; of a form on paper, as the organiser gave it'),
  wordingLanguage: z
    .string()
    .nullable()
    .describe('null where the organiser showed the wording, or did not tell it of a form'),
  faceDeleteAfter: timestampSchema
    .nullable()
    .describe('until when the face was to be kept; in a withdrawal, the latest of the consents it ends'),
});
export type ConsentEntry = z.infer<typeof consentEntrySchema>;

/** A ledger record with its position in its list's chain. */
const consentRecordSchema = z
  .object({
    ...consentEntrySchema.shape,
    seq: z.int().min(1).nullable().describe('place in the list’s chain; null for records from before chains'),
    entryHash: sha256HexSchema.nullable().describe('hash of the chain up to here'),
  })
  .register(responseSchemas, { id: 'ConsentRecord' });
export type ConsentRecordResource = z.infer<typeof consentRecordSchema>;

/** Query of the ledger. */
const consentQuerySchema = pageQuerySchema.extend({
  listId: idSchema('lst').optional().describe('only records of this list'),
  personId: personIdSchema.optional().describe('only records of this person; not with an export'),
});
export type ConsentQuery = z.infer<typeof consentQuerySchema>;

/** Media type to request for an export, and of the answer. */
export const CONSENT_LEDGER_MEDIA_TYPE = 'application/x-ndjson';

/** One line of an export, in canonical form (RFC 8785). */
export const consentLedgerLineSchema = z
  .discriminatedUnion('type', [
    z.strictObject({
      type: z.literal('ledger'),
      format: z.literal('svc-consent-ledger/1'),
      accountId: idSchema('acc'),
      exportedAt: timestampSchema,
    }),
    z.strictObject({ type: z.literal('chain'), listId: idSchema('lst') }),
    z.strictObject({
      type: z.literal('entry'),
      seq: z.int().min(1),
      commitment: sha256HexSchema,
      entryHash: sha256HexSchema,
      salt: sha256HexSchema.nullable().describe('32 bytes in hex; null in an erased entry, as consent'),
      consent: consentEntrySchema.nullable(),
    }),
    z.strictObject({
      type: z.literal('head'),
      listId: idSchema('lst'),
      length: z.int().min(1),
      entryHash: sha256HexSchema,
    }),
    z.strictObject({ type: z.literal('unchained'), consent: consentEntrySchema }),
    z.strictObject({
      type: z.literal('end'),
      chains: z.int().min(0),
      entries: z.int().min(0),
      unchained: z.int().min(0),
      sha256: sha256HexSchema.describe('of every byte before this line'),
    }),
  ])
  .register(responseSchemas, { id: 'ConsentLedgerLine' });
export type ConsentLedgerLine = z.infer<typeof consentLedgerLineSchema>;

const EXAMPLE_SHA256 = '3f1c0f5c2a7b0d6c8f0e9b1a4d5e6f708192a3b4c5d6e7f8091a2b3c4d5e6f70';

const record = {
  consentId: '01970aa7-7800-7083-9a2c-5f1d3e4b6a70',
  listId: exampleId('lst'),
  personId: 'T-8F3K2M9QXW4Z7B1C',
  kind: 'given',
  recordedAt: '2026-05-01T18:30:00.000Z',
  consentVersion: 'eu-v2',
  givenAt: '2026-05-01T18:29:12.000Z',
  explicitBiometricConsent: true,
  writtenRelease: true,
  under16: false,
  guardianConsent: false,
  shownBy: 'service',
  wordingSha256: EXAMPLE_SHA256,
  wordingLanguage: 'de',
  faceDeleteAfter: '2026-06-20T23:00:00.000Z',
  seq: 1,
  entryHash: EXAMPLE_SHA256,
} as const;

export const consentOperations = {
  listConsents: {
    summary: 'Read the consent ledger',
    description:
      'Who consented to which wording when, how, and until when; withdrawals too. No biometrics. Records outlive faces and lists: a listId that the account no longer has, or never had, is no error. Oldest first; records whose evidence was erased are left out. With `Accept: application/x-ndjson` the answer is an export: the whole chain of a list, or of every list, erased places included, made to be verified by others. Its last line is of type `end`; without it the export is cut.',
    query: consentQuerySchema,
    success: {
      description: 'a page of records, or an export',
      schema: consentRecordSchema,
      alternatives: [{ mediaType: CONSENT_LEDGER_MEDIA_TYPE, part: consentLedgerLineSchema }],
      example: record,
    },
  },
} satisfies Descriptions;
