import * as z from 'zod';
import { DAY_MS } from './limits.ts';

/** Names a POST, so that its repeats have no further effect. */
export const IDEMPOTENCY_KEY_HEADER = 'Idempotency-Key';
/** `true` on an answer that is the first one's, given again. */
export const IDEMPOTENT_REPLAYED_HEADER = 'Idempotent-Replayed';
/** How long a key stands for its request. */
export const IDEMPOTENCY_KEPT_MS = DAY_MS;

/** 1 to 255 printable ASCII characters without spaces: a UUID, for example. */
export const idempotencyKeySchema = z
  .string()
  .regex(/^[!-~]{1,255}$/, { error: 'must be 1 to 255 printable ASCII characters without spaces' });
