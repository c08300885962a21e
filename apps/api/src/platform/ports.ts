import { randomFillSync } from 'node:crypto';
import { formatId, type IdPrefix, type UserRole, uuidv7 } from '@svc/protocol';

/** Wall clock in Unix milliseconds. */
export interface Clock {
  now(): number;
}

/** A cryptographically secure random source. */
export interface Random {
  /** A new buffer (never a view of a shared pool); the caller wipes it if it becomes a secret. */
  bytes(length: number): Uint8Array<ArrayBuffer>;
}

/** The operating system's CSPRNG. */
export const systemRandom: Random = { bytes: (length) => randomFillSync(new Uint8Array(length)) };

/** Generates identifiers, sortable by creation time. */
export type Ids = ReturnType<typeof createIds>;

export function createIds(clock: Clock, random: Random) {
  const next = () => uuidv7(clock.now(), random.bytes(10));
  return {
    /** `lst_…` and the like. */
    next: (prefix: IdPrefix): string => formatId(prefix, next()),
    /** A PostgreSQL `uuid` of the same kind, for rows that the API never exposes. */
    nextUuid: (): string =>
      Buffer.from(next())
        .toString('hex')
        .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-'),
  };
}

/** The session of a person in the dashboard. */
export interface SessionOfCaller {
  readonly accountId: string;
  readonly userId: string;
  readonly sessionId: string;
  readonly role: UserRole;
  /** When the person signed in, or confirmed it last. */
  readonly authenticatedAt: Date;
  /** To within minutes. */
  readonly lastUsedAt: Date;
}
