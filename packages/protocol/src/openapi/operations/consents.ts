import { consentVersions } from '../../consent-version.ts';
import { CONSENT_LEDGER_MEDIA_TYPE } from '../../schemas/consents.ts';
import { exampleId, type Operation, PAGE, type Parameter, page } from '../operation.ts';

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

const filter = (name: string, description: string): Parameter => ({
  name,
  in: 'query',
  required: false,
  description,
  schema: { type: 'string' },
});

export const consentOperations: readonly Operation[] = [
  {
    method: 'get',
    path: '/v1/consents',
    operationId: 'listConsents',
    tag: 'Consents',
    summary: 'Read the consent ledger',
    description:
      'Who consented to which wording when, how, and until when; withdrawals too. No biometrics. Records outlive faces and lists: a listId that the account no longer has, or never had, is no error. Oldest first; records whose evidence was erased are left out. With `Accept: application/x-ndjson` the answer is an export: the whole chain of a list, or of every list, erased places included, made to be verified by others. Its last line is of type `end`; without it the export is cut.',
    security: 'apiKey',
    parameters: [
      filter('listId', 'records of this list alone'),
      filter('personId', 'records of this person alone; not with an export'),
      ...page,
    ],
    success: {
      status: 200,
      description: 'a page of records, or an export',
      schema: 'ConsentRecordCollection',
      alternatives: [{ mediaType: CONSENT_LEDGER_MEDIA_TYPE, part: 'ConsentLedgerLine' }],
      example: { items: [record], nextCursor: null },
    },
    errors: [...PAGE],
  },
  {
    method: 'get',
    path: '/v1/consent-wordings/{consentVersion}',
    operationId: 'getConsentWording',
    tag: 'Consents',
    summary: 'Read a consent wording',
    description:
      'For organisers who show the wording themselves. `{organiser}`, `{privacyUrl}` and `{deletionDate}` are to be filled in. Without `language`, `Accept-Language` decides; a language that is not offered is answered in English, and `language` says so. `wordingSha256` is the SHA-256 of `wording` in canonical form (RFC 8785) before anything is filled in.',
    security: 'apiKey',
    parameters: [
      {
        name: 'consentVersion',
        in: 'path',
        required: true,
        description: 'as a list tells its own',
        schema: { type: 'string', enum: consentVersions },
      },
      {
        name: 'language',
        in: 'query',
        required: false,
        description: 'BCP 47; `de-AT` is answered in `de`',
        schema: { type: 'string', minLength: 1, maxLength: 35 },
      },
    ],
    success: {
      status: 200,
      description: 'the wording',
      schema: 'PublishedWording',
      headers: { 'Content-Language': 'of the wording' },
    },
    errors: ['invalid-request', 'not-found'],
  },
];
