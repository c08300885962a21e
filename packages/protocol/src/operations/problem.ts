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
  parameter: z.string().optional().describe('name of the query parameter'),
  detail: z.string(),
});
export type FieldError = z.infer<typeof fieldErrorSchema>;

/** What the holder of an enrolment token that can no longer be used learns about it. */
const heldTokenSchema = organiserSchema
  .extend({
    eventName: nameSchema,
    event: eventShownSchema.optional(),
    brand: shownBrandSchema.nullable().describe('the organiser’s looks for the widget; null if none are set'),
    mode: accountModeSchema.optional().describe('`test`: a test account, so no real face was enrolled; absent: `live`'),
    state: z.enum(enrolmentTokenStates).describe('state of the token; `valid` if the list is what has ended or closed'),
    deleteAfter: timestampSchema
      .optional()
      .describe('when the face enrolled with this token is deleted; absent if there is no such face'),
  })
  .register(responseSchemas, { id: 'HeldToken' });
export type HeldToken = z.infer<typeof heldTokenSchema>;

/** Problem details (RFC 9457) of every API error. */
export const problemSchema = z
  .object({
    type: z.string().meta({ format: 'uri-reference' }),
    title: z.string(),
    status: z.int().min(400).max(599),
    detail: z.string().describe('explanation for people; can change'),
    code: z.enum(errorCodes).describe('stable code of the error; decide by it'),
    requestId: z.string().describe('ID of the request, also in the `X-Request-Id` header'),
    errors: z.array(fieldErrorSchema).optional().describe('what is wrong with each field or parameter'),
    reason: z.enum(imageFaults).optional().describe('why the image cannot be read'),
    measured: z
      .union([z.number(), z.string()])
      .optional()
      .describe(
        'the value that missed the limit; the error’s entry names the unit. For an image of another format, its media type',
      ),
    limit: z.number().optional().describe('the limit that was missed, in the unit of `measured`'),
    resourceId: z
      .string()
      .optional()
      .describe('for `secret-already-issued`: ID of the resource that the first request created or changed'),
    attemptsLeft: z.int().min(0).optional().describe('in the widget: how many more photos the guest can try'),
    token: heldTokenSchema.optional().describe('what to show to the holder of a token that no longer works'),
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
