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
  tag: bytesSchema(16).describe('16 bytes, base64url: the person under the list’s admission key'),
  sequence: z.int().min(1).describe('ascending; of one admission always the same'),
  at: timestampSchema.describe('by the device’s trusted clock'),
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
    since: z.int().min(0).describe('cursor of the last answer; 0 for none'),
    origin: originSchema.optional().describe('that of the last answer'),
    entries: z.array(entrySchema).max(MAX_ADMISSIONS_SENT).describe('not acknowledged yet, in their order'),
    claim: claimSchema.optional().describe('asks whether this person may be let in now'),
  })
  .register(requestSchemas, { id: 'AdmissionsRequest' });
export type AdmissionsRequest = z.infer<typeof admissionsRequestSchema>;

const doorSchema = z.object({ at: timestampSchema, door: nameSchema, own: z.boolean() });
const answeredSchema = doorSchema.extend({
  tag: bytesSchema(16),
  takenBack: z.boolean(),
  also: doorSchema.nullable().describe('another door let the same person in, and neither knew'),
});
/** One person's admission: `own` of the device that asks. */
export type AnsweredAdmission = z.infer<typeof answeredSchema>;

/** The JSON inside the signed envelope of an answer. */
export const admissionsAnswerSchema = z
  .object({
    answer: z.literal('admissions'),
    ...{ listId: idSchema('lst'), deviceId: idSchema('dev'), nonce: bytesSchema(16) },
    since: z.int().min(0).describe('that of the request; 0 if another database answers than the last time'),
    origin: originSchema.describe('which database numbers the changes'),
    cursor: z.int().min(0),
    more: z.boolean().describe('there are more entries after the cursor'),
    entries: z.array(answeredSchema).max(MAX_ADMISSIONS_ANSWERED).describe('none with a claim'),
    elsewhere: doorSchema.nullable().describe('the claim is refused: who was let in before, and where'),
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
