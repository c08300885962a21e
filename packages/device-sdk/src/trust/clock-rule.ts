/** A reading of both clocks. */
export interface ClockReading {
  readonly wallMs: number;
  readonly monotonicMs: number;
}

/** What the device knows of time. `highestMs` and `wallLagMs` outlive a restart, under a MAC. */
export interface TimeMark {
  /** The latest trusted time so far, milliseconds since 1970; 0 before the first reading. */
  readonly highestMs: number;
  /**
   * How far the wall clock lay behind the server's at the last sync, 0 where it did not: a clock that is merely slow is
   * no fraud.
   */
  readonly wallLagMs: number;
  /** Monotonic reading of `highestMs`; null right after a restart, when nothing is known of the time in between. */
  readonly monotonicMs: number | null;
}

/** A wall clock that falls behind by more than this was set back. */
export const WALL_TOLERANCE_MS = 2 * 60_000;

export interface TrustedTime {
  readonly mark: TimeMark;
  /** Milliseconds since 1970; never falls but by an authentic sync. */
  readonly nowMs: number;
  /**
   * The wall clock was set back: nothing is verified until a sync, or until it is right again. Trusted time went on
   * meanwhile, so whoever sets it right has gained nothing, and a door whose clock the network corrects opens again.
   */
  readonly wallIsBehind: boolean;
}

/**
 * Trusted time is the latest of the wall clock, the highest time ever seen, and the last known time plus the monotonic
 * time since. Time can be hidden from a device only while it is switched off, and then no further than to the moment it
 * was switched off.
 */
export function readTrustedTime(mark: TimeMark, reading: ClockReading): TrustedTime {
  const wallMs = Number.isFinite(reading.wallMs) ? reading.wallMs : 0;
  const elapsedMs = mark.monotonicMs === null ? 0 : Math.max(0, reading.monotonicMs - mark.monotonicMs);
  const nowMs = Math.max(wallMs, mark.highestMs + elapsedMs);
  return {
    mark: { highestMs: nowMs, wallLagMs: mark.wallLagMs, monotonicMs: reading.monotonicMs },
    nowMs,
    wallIsBehind: wallMs + mark.wallLagMs < nowMs - WALL_TOLERANCE_MS,
  };
}

/**
 * Time after an authentic sync: the server's, downwards too. It counts from the moment the request was sent, so that a
 * slow answer never makes time pass more slowly.
 */
export function markFromServer(issuedAtMs: number, sentAtMonotonicMs: number, reading: ClockReading): TimeMark {
  const nowMs = issuedAtMs + Math.max(0, reading.monotonicMs - sentAtMonotonicMs);
  const wallMs = Number.isFinite(reading.wallMs) ? reading.wallMs : 0;
  return { highestMs: nowMs, wallLagMs: Math.max(0, nowMs - wallMs), monotonicMs: reading.monotonicMs };
}
