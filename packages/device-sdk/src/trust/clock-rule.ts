/** A reading of both clocks. */
export interface ClockReading {
  readonly wallMs: number;
  readonly monotonicMs: number;
}

/** The device's knowledge of time. `highestMs` and `wallLagMs` are stored, protected by a MAC. */
export interface TimeMark {
  /** The latest trusted time so far, milliseconds since 1970; 0 before the first reading. */
  readonly highestMs: number;
  /**
   * How far the wall clock was behind the server's at the last sync, or 0: a clock that is merely slow is no
   * manipulation.
   */
  readonly wallLagMs: number;
  /** Monotonic reading at `highestMs`; null right after a restart, when the time in between is unknown. */
  readonly monotonicMs: number | null;
}

/** A wall clock that falls behind by more than this was set back. */
export const WALL_TOLERANCE_MS = 2 * 60_000;

export interface TrustedTime {
  readonly mark: TimeMark;
  /** Milliseconds since 1970; decreases only by an authentic sync. */
  readonly nowMs: number;
  /**
   * The wall clock was set back: nothing is verified until a sync, or until it is right again. Trusted time continued
   * meanwhile, so correcting the clock gains an attacker nothing, and a device corrected by network time works again.
   */
  readonly wallIsBehind: boolean;
}

/**
 * Trusted time: the latest of the wall clock, the highest time seen, and the last known time plus the monotonic time
 * since. Time can be hidden from a device only while it is switched off, at most back to that moment.
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
 * Time after an authentic sync: the server's, also if it is earlier. Counted from the moment of the request, so that a
 * slow answer never delays time.
 */
export function markFromServer(issuedAtMs: number, sentAtMonotonicMs: number, reading: ClockReading): TimeMark {
  const nowMs = issuedAtMs + Math.max(0, reading.monotonicMs - sentAtMonotonicMs);
  const wallMs = Number.isFinite(reading.wallMs) ? reading.wallMs : 0;
  return { highestMs: nowMs, wallLagMs: Math.max(0, nowMs - wallMs), monotonicMs: reading.monotonicMs };
}
