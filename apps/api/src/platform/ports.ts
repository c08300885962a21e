import { randomFillSync } from 'node:crypto';
import { formatId, type IdPrefix, uuidv7 } from '@svc/protocol';

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

/** New identifiers, sortable by the time of their making. */
export interface Ids {
  /** `lst_…` and the like. */
  next(prefix: IdPrefix): string;
  /** The same value as PostgreSQL's `uuid`, for rows that the interface never names. */
  nextUuid(): string;
}

export function createIds(clock: Clock, random: Random): Ids {
  const next = () => uuidv7(clock.now(), random.bytes(10));
  return {
    next: (prefix) => formatId(prefix, next()),
    nextUuid: () =>
      Buffer.from(next())
        .toString('hex')
        .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-'),
  };
}
