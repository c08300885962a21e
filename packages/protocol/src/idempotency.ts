import * as z from 'zod';
import { DAY_MS } from './limits.ts';

/** Identifies a POST, so that a repeated request has no further effect. */
export const IDEMPOTENCY_KEY_HEADER = 'Idempotency-Key';
/** `true` when the answer is a repeated answer to an earlier request. */
export const IDEMPOTENT_REPLAYED_HEADER = 'Idempotent-Replayed';
/** How long a key identifies its request. */
export const IDEMPOTENCY_KEPT_MS = DAY_MS;

/** 1 to 255 printable ASCII characters without spaces, such as a UUID. */
export const idempotencyKeySchema = z
  .string()
  .regex(/^[!-~]{1,255}$/, { error: 'must be 1 to 255 printable ASCII characters without spaces' });
