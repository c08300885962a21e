import { randomFillSync } from 'node:crypto';

/** Wall clock in Unix milliseconds. */
export interface Clock {
  now(): number;
}

/** Cryptographically strong randomness. */
export interface Random {
  /** A fresh buffer of its own (never a view on a shared pool); the caller wipes it where it becomes a secret. */
  bytes(length: number): Uint8Array<ArrayBuffer>;
}

/** The operating system's CSPRNG. */
export const systemRandom: Random = { bytes: (length) => randomFillSync(new Uint8Array(length)) };
