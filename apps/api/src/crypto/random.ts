import { randomFillSync } from 'node:crypto';
import type { Random } from '../platform/ports.ts';

/** The operating system's CSPRNG. */
export const systemRandom: Random = { bytes: (length) => randomFillSync(new Uint8Array(length)) };
