import { createHash } from 'node:crypto';
import type { Random } from '@svc/device-sdk';

/** Repeatable random bytes: a hash chain instead of a CSPRNG. */
export class SeededDraws implements Random {
  readonly #seed: string;
  #round = 0;
  #left = new Uint8Array(0);
  /** A draw that stays constant. */
  readonly fixed: number;

  constructor(seed: number | string) {
    this.#seed = String(seed);
    this.fixed = this.next();
  }

  bytes(length: number): Uint8Array {
    const out = new Uint8Array(length);
    for (let i = 0; i < length; i++) {
      if (this.#left.length === 0) {
        this.#left = new Uint8Array(
          createHash('sha256')
            .update(`${this.#seed}:${this.#round++}`)
            .digest(),
        );
      }
      out[i] = this.#left[0] ?? 0;
      this.#left = this.#left.subarray(1);
    }
    return out;
  }

  /** In [0, 1). */
  next(): number {
    return new DataView(this.bytes(4).buffer).getUint32(0) / 2 ** 32;
  }

  between(low: number, high: number): number {
    return low + (high - low) * this.next();
  }

  pick<T>(from: readonly [T, ...T[]] | readonly T[]): T {
    return from[Math.floor(this.next() * from.length)] as T;
  }
}
