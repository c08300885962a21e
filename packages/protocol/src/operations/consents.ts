import * as z from 'zod';
import { exampleId, idSchema, pageQuerySchema, responseSchemas, sha256HexSchema, timestampSchema } from '../common.ts';
import type { Descriptions } from './descriptions.ts';
import { personIdSchema } from './people.ts';

/** The members of a record that the ledger commits to: any change here is a new format of the ledger. */
const consentEntrySchema = z.strictObject({
  consentId: z.uuid(),
  listId: idSchema('lst'),
  personId: personIdSchema.nullable().describe('null only if the stored value is damaged'),
  kind: z.enum(['given', 'withdrawn']),
  recordedAt: timestampSchema.describe('when the service recorded it'),
  consentVersion: z
    .string()
    .min(1)
    .nullable()
    .describe(
      'version of the wording, or `paper:` and your version of a form signed on paper. In a withdrawal this is null, as are the fields for what was shown and ticked',
    ),
  givenAt: timestampSchema.nullable().describe('when the person consented'),
  explicitBiometricConsent: z.boolean().nullable(),
  writtenRelease: z.boolean().nullable(),
  under16: z.boolean().nullable(),
  guardianConsent: z.boolean().nullable(),
  shownBy: z.enum(['organiser', 'service']).nullable().describe('who showed the wording: you, or the widget'),
  wordingSha256: sha256HexSchema
    .nullable()
    .describe(
      'hash of the wording that the service showed, or of the paper form; null if you showed the wording yourself',
    ),
  wordingLanguage: z
    .string()
    .nullable()
    .describe('language of the wording or form; null if you showed the wording yourself or sent no language'),
  faceDeleteAfter: timestampSchema
    .nullable()
    .describe('when the face was due to be deleted; in a withdrawal, the latest of the consents that it ends'),
});
export type ConsentEntry = z.infer<typeof consentEntrySchema>;

/** A ledger record with its position in its list's chain. */
const consentRecordSchema = z
  .object({
    ...consentEntrySchema.shape,
    seq: z.int().min(1).nullable().describe('position in the list’s hash chain; null for records older than it'),
    entryHash: sha256HexSchema.nullable().describe('hash of the chain up to this record; null if `seq` is null'),
  })
  .register(responseSchemas, { id: 'ConsentRecord' });
export type ConsentRecordResource = z.infer<typeof consentRecordSchema>;

/** Query of the ledger. */
const consentQuerySchema = pageQuerySchema.extend({
  listId: idSchema('lst').optional().describe('only records of this list'),
  personId: personIdSchema.optional().describe('only records of this person; not allowed with an export'),
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
    z.strictObject({ type: z.literal('chain').describe('start of a list’s chain'), listId: idSchema('lst') }),
    z.strictObject({
      type: z.literal('entry'),
      seq: z.int().min(1),
      commitment: sha256HexSchema.describe('SHA-256 of the salt and the record, in lower-case hex'),
      entryHash: sha256HexSchema,
      salt: sha256HexSchema.nullable().describe('32 random bytes in hex; null in an erased entry, like `consent`'),
      consent: consentEntrySchema.nullable(),
    }),
    z.strictObject({
      type: z.literal('head').describe('end of a list’s chain, with its length and last hash'),
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
      sha256: sha256HexSchema.describe('SHA-256 of every byte before this line, in lower-case hex'),
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
      'Returns who consented to which wording, when, how and until when, and who withdrew; oldest first, without biometric data. Records are kept when faces and lists are deleted, so an unknown listId is not an error. Records whose content was erased are left out. With `Accept: application/x-ndjson` you get an export that others can verify: the whole hash chain of a list, or of every list, including erased entries. If the last line is not of type `end`, the export is incomplete.',
    query: consentQuerySchema,
    success: {
      description: 'a page of records, or an export',
      schema: consentRecordSchema,
      alternatives: [{ mediaType: CONSENT_LEDGER_MEDIA_TYPE, part: consentLedgerLineSchema }],
      example: record,
    },
  },
} satisfies Descriptions;
