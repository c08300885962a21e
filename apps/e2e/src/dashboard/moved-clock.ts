/** A clock that a fixture moves forward, until it tells the time of this machine. */
export interface MovedClock {
  now(): number;
  /** Goes on from this instant; an instant in its past leaves it as it is. */
  moveTo(ms: number): void;
}

/** @param startMs not later than now */
export function createMovedClock(startMs: number): MovedClock {
  let behindMs = Math.round(Date.now() - startMs);
  const now = () => Date.now() - behindMs;
  return {
    now,
    moveTo(ms) {
      if (ms > now()) behindMs = Math.max(0, Math.round(Date.now() - ms));
    },
  };
}
