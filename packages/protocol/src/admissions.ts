import * as z from 'zod';
import { bytesSchema, idSchema, nameSchema, requestSchemas, responseSchemas, timestampSchema } from './common.ts';
import { MAX_ADMISSIONS_ANSWERED, MAX_ADMISSIONS_SENT } from './limits.ts';

export const ADMISSIONS_PATH = '/v1/device/admissions';
/** Header with the HMAC-SHA-256 of {@link admissionsSigningInput}, base64url. */
export const SIGNATURE_HEADER = 'Svc-Signature';
/** HKDF info of the key that signs the requests; the device's id follows. */
export const ADMISSIONS_SIGNING = 'svc/admissions-request/v1\0';

export const signatureHeaderSchema = bytesSchema(32);

const claimSchema = z.object({
  tag: bytesSchema(16).describe('stands for the person: the personId’s HMAC, 16 bytes in base64url'),
  sequence: z.int().min(1).describe('number of the admission on this device, rising; the same if sent again'),
  at: timestampSchema.describe('time of the admission by the device’s trusted clock'),
});

/**
 * `admitted`: without an answer in time. `admitted-again`: of a person whom the device knew to have been let in.
 * `taken-back`: no longer.
 */
const entrySchema = claimSchema.extend({ kind: z.enum(['admitted', 'admitted-again', 'taken-back']) });
export type SentAdmission = z.infer<typeof entrySchema>;
export type AdmissionClaim = z.infer<typeof claimSchema>;

const originSchema = z.string().min(1).max(64);

export const admissionsRequestSchema = z
  .object({
    listId: idSchema('lst'),
    since: z.int().min(0).describe('`cursor` of the last response; 0 if there is none'),
    origin: originSchema.optional().describe('`origin` of the last response'),
    entries: z.array(entrySchema).max(MAX_ADMISSIONS_SENT).describe('admissions not acknowledged yet, in order'),
    claim: claimSchema.optional().describe('asks whether the device may let this person in now'),
  })
  .register(requestSchemas, { id: 'AdmissionsRequest' });
export type AdmissionsRequest = z.infer<typeof admissionsRequestSchema>;

const doorSchema = z.object({ at: timestampSchema, door: nameSchema, own: z.boolean() });
const answeredSchema = doorSchema.extend({
  tag: bytesSchema(16),
  takenBack: z.boolean(),
  also: doorSchema.nullable().describe('the admission at another door if two doors let the person in; otherwise null'),
});
/** One person's admission: `own` of the device that asks. */
export type AnsweredAdmission = z.infer<typeof answeredSchema>;

/** The JSON inside the signed envelope of an answer. */
export const admissionsAnswerSchema = z
  .object({
    answer: z.literal('admissions'),
    ...{ listId: idSchema('lst'), deviceId: idSchema('dev'), nonce: bytesSchema(16) },
    since: z.int().min(0).describe('`since` of the request; 0 if another database answers than the last time'),
    origin: originSchema.describe('ID of the database that `cursor` belongs to'),
    cursor: z.int().min(0),
    more: z.boolean().describe('whether there are more entries after `cursor`'),
    entries: z.array(answeredSchema).max(MAX_ADMISSIONS_ANSWERED).describe('empty if the request has a `claim`'),
    elsewhere: doorSchema
      .nullable()
      .describe('if the claim is refused: where the person is already in; otherwise null'),
  })
  .register(responseSchemas, { id: 'AdmissionsAnswer' });
export type AdmissionsAnswer = z.infer<typeof admissionsAnswerSchema>;

/** What a device signs: each field in the schema's order, as JSON without spaces, after the nonce. */
export function admissionsSigningInput(nonce: string, request: AdmissionsRequest): Uint8Array {
  const { listId, since, origin, entries, claim } = request;
  const claimed = ({ tag, sequence, at }: AdmissionClaim) => ({ tag, sequence, at });
  const told = entries.map((entry) => ({ ...claimed(entry), kind: entry.kind }));
  const json = JSON.stringify({ listId, since, origin, entries: told, ...(claim && { claim: claimed(claim) }) });
  return new TextEncoder().encode(`${nonce}.${json}`);
}
