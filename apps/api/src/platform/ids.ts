import { formatId, type IdPrefix, uuidv7 } from '@svc/protocol';
import type { Clock, Random } from './ports.ts';

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
