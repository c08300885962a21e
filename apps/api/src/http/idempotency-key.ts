import { IDEMPOTENCY_KEY_HEADER, idempotencyKeySchema } from '@svc/protocol';
import type { Request } from 'express';
import { ServiceError } from '../platform/errors.ts';

/** The request's `Idempotency-Key`; null where it has none. @throws ServiceError 'invalid-request' */
export function idempotencyKeyOf(request: Request): string | null {
  const header = request.get(IDEMPOTENCY_KEY_HEADER);
  if (header === undefined) return null;
  const key = idempotencyKeySchema.safeParse(header);
  if (key.success) return key.data;
  throw new ServiceError('invalid-request', {
    detail: 'Idempotency-Key must be 1 to 255 printable ASCII characters without spaces.',
  });
}
