import * as z from 'zod';
import { accountModeSchema, nameSchema, responseSchemas, timestampSchema } from '../common.ts';
import { type ErrorCode, errorCodes, errorTable, problemType } from '../errors.ts';
import { type ImageFault, imageFaults } from '../photo-refusals.ts';
import { shownBrandSchema } from './brand.ts';
import { eventShownSchema, organiserSchema } from './events.ts';
import { enrolmentTokenStates } from './tokens.ts';

/** Media type of every error (RFC 9457). */
export const PROBLEM_MEDIA_TYPE = 'application/problem+json';

/** One violated rule: `pointer` for a field of the body (RFC 6901), `parameter` for a query parameter. */
const fieldErrorSchema = z.object({
  pointer: z.string().optional().describe('JSON pointer (RFC 6901) into the body; empty for the body itself'),
  parameter: z.string().optional().describe('name of a query parameter'),
  detail: z.string(),
});
export type FieldError = z.infer<typeof fieldErrorSchema>;

/** What the holder of an enrolment token that can no longer be used learns about it. */
const heldTokenSchema = organiserSchema
  .extend({
    eventName: nameSchema,
    event: eventShownSchema.optional(),
    brand: shownBrandSchema.nullable().describe('how the organiser wants the widget to look'),
    mode: accountModeSchema.optional().describe('test: nobody was enrolled; absent: live'),
    state: z.enum(enrolmentTokenStates).describe('`valid` if it is the list that takes nobody any more'),
    deleteAfter: timestampSchema
      .optional()
      .describe('when the face that was enrolled with it is deleted; absent once it is'),
  })
  .register(responseSchemas, { id: 'HeldToken' });
export type HeldToken = z.infer<typeof heldTokenSchema>;

/** Problem details (RFC 9457) of every API error. */
export const problemSchema = z
  .object({
    type: z.string().meta({ format: 'uri-reference' }),
    title: z.string(),
    status: z.int().min(400).max(599),
    detail: z.string(),
    code: z.enum(errorCodes),
    requestId: z.string().describe('also in the X-Request-Id header'),
    errors: z.array(fieldErrorSchema).optional(),
    reason: z.enum(imageFaults).optional().describe('why a picture cannot be read'),
    measured: z
      .union([z.number(), z.string()])
      .optional()
      .describe('what was measured, for a photo that misses a limit; the media type, for one of another format'),
    limit: z.number().optional().describe('the limit that was missed'),
    resourceId: z
      .string()
      .optional()
      .describe('what an earlier request with the same Idempotency-Key made, for secret-already-issued'),
    attemptsLeft: z.int().min(0).optional().describe('photos that the guest may still try, in the widget'),
    token: heldTokenSchema.optional().describe('about an enrolment token that can no longer be used, for its holder'),
  })
  .register(responseSchemas, { id: 'Problem' });
export type Problem = z.infer<typeof problemSchema>;

/** The problem for a code; `detail` defaults to the title. `detail` must never contain input, but the kind and the size of a picture. */
export function createProblem(
  code: ErrorCode,
  o: {
    readonly requestId: string;
    readonly detail?: string | undefined;
    readonly errors?: readonly FieldError[] | undefined;
    readonly reason?: ImageFault | undefined;
    readonly measured?: number | string | undefined;
    readonly limit?: number | undefined;
    readonly resourceId?: string | undefined;
    readonly attemptsLeft?: number | undefined;
    readonly token?: HeldToken | undefined;
  },
): Problem {
  const { status, title } = errorTable[code];
  return {
    type: problemType(code),
    title,
    status,
    detail: o.detail ?? `${title}.`,
    code,
    requestId: o.requestId,
    ...(o.errors === undefined ? {} : { errors: [...o.errors] }),
    ...(o.reason === undefined ? {} : { reason: o.reason }),
    ...(o.measured === undefined ? {} : { measured: o.measured }),
    ...(o.limit === undefined ? {} : { limit: o.limit }),
    ...(o.resourceId === undefined ? {} : { resourceId: o.resourceId }),
    ...(o.attemptsLeft === undefined ? {} : { attemptsLeft: o.attemptsLeft }),
    ...(o.token === undefined ? {} : { token: o.token }),
  };
}
