const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** Pauses after the first, second, … failed attempt: three days and three hours in all. */
const PAUSES_MS = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  24 * HOUR_MS,
] as const;
/** Share by which a pause is lengthened at most, so that receivers that come back are not met by all at once. */
const JITTER = 0.2;

/**
 * How long to wait before the next attempt.
 * @param attempts made so far, at least 1
 * @param random 0 ≤ random < 1
 * @returns milliseconds; null when there is no next attempt
 */
export function pauseAfter(attempts: number, random: number): number | null {
  const pause = PAUSES_MS[attempts - 1];
  return pause === undefined ? null : Math.round(pause * (1 + JITTER * random));
}
