import { IDEMPOTENCY_KEY_HEADER, IDEMPOTENT_REPLAYED_HEADER, idempotencyKeySchema } from '@svc/protocol';
import type { Request, Response } from 'express';
import { z } from 'zod';
import type { InTransaction } from '../db/connection.ts';
import { ServiceError } from '../platform/errors.ts';
import type { CarriedOutOnce, KeyedRequest, Outcome } from '../platform/idempotency.ts';
import type { Answer } from './answer.ts';

/** The request's `Idempotency-Key`; null for none. @throws ServiceError 'invalid-request' */
export function idempotencyKeyOf(request: Request): string | null {
  const header = request.get(IDEMPOTENCY_KEY_HEADER);
  if (header === undefined) return null;
  const key = idempotencyKeySchema.safeParse(header);
  if (key.success) return key.data;
  throw new ServiceError('invalid-request', {
    detail: 'Idempotency-Key must be 1 to 255 printable ASCII characters without spaces.',
  });
}

const keptSchema = z.object({
  status: z.union([z.literal(200), z.literal(201), z.literal(202), z.literal(204)]),
  location: z.string().optional(),
  // Not `z.looseObject`: it copies the object, and a copy loses a member named “__proto__”.
  body: z.custom<object>((value) => typeof value === 'object' && value !== null).optional(),
});

/** An answer as stored; null when it contains a secret. */
function keptText({ status, location, body, secretOf }: Answer): string | null {
  return secretOf === undefined ? JSON.stringify({ status, location, body }) : null;
}

/** Parses the text of {@link keptText}. */
function readKept(text: string): Answer {
  const { status, location, body } = keptSchema.parse(JSON.parse(text));
  return { status, ...(location === undefined ? {} : { location }), ...(body === undefined ? {} : { body }) };
}

const outcomeOf = (answer: Answer): Outcome => ({
  answer: keptText(answer),
  resourceId: answer.secretOf,
  about: answer.about,
});

/**
 * Carries a request out, or repeats the answer of the first one with its key.
 * @param run gets the hook that stores the answer in the effect's own transaction
 */
export async function carryOutOnce<T>(
  idempotency: CarriedOutOnce,
  keyed: KeyedRequest,
  response: Response,
  run: (remember: InTransaction<T>) => Promise<T>,
  answerTo: (made: T) => Answer,
): Promise<Answer> {
  const begun = await idempotency.begin(keyed);
  if ('answer' in begun) {
    response.setHeader(IDEMPOTENT_REPLAYED_HEADER, 'true');
    return readKept(begun.answer);
  }
  const { claim } = begun;
  let remembered = false;
  try {
    const result = await run(async (tx, made) => {
      await claim.complete(tx, outcomeOf(answerTo(made)));
      remembered = true;
    });
    const answer = answerTo(result);
    if (!remembered) await claim.complete(null, outcomeOf(answer));
    return answer;
  } catch (error) {
    // If that fails, the key is free when the claim's lease ends.
    await claim.release().catch(() => undefined);
    throw error;
  } finally {
    claim.close();
  }
}
