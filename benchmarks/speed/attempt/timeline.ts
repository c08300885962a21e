import { type AttemptTimes, computingMs, latencyMs } from './time-attempt.ts';

export interface TimelineLane {
  readonly name: string;
  /** Each frame: when it was taken, milliseconds from the first, and what it took to compute. The last is the one that decided. */
  readonly frames: readonly { readonly atMs: number; readonly computingMs: number }[];
  /** From the last frame's arrival to the result, by the clock. */
  readonly latencyMs: number;
  readonly stages: readonly { readonly name: string; readonly fromMs: number; readonly untilMs: number }[];
  /** From the call until the camera was asked for. */
  readonly openingMs: number;
  /** One frame of Human. */
  readonly humanMs: number;
}

/** One attempt of each device against the window that an attempt may take. */
export interface Timeline {
  readonly caption: string;
  readonly windowMs: number;
  /** From one frame of the camera to the next. */
  readonly frameMs: number;
  readonly lanes: readonly TimelineLane[];
}

export function laneOf(name: string, attempt: AttemptTimes, humanMs: number): TimelineLane {
  const { frontalMs, turnMs, returnMs } = attempt.timings;
  const named = [
    { name: 'frontal match', ms: frontalMs ?? 0 },
    { name: 'head turn', ms: turnMs ?? 0 },
    { name: 'back, second match', ms: returnMs ?? 0 },
  ];
  let fromMs = 0;
  const stages = named.map(({ name: stage, ms }) => {
    const untilMs = fromMs + ms;
    const placed = { name: stage, fromMs, untilMs };
    fromMs = untilMs;
    return placed;
  });
  const frames = attempt.frames.map((frame) => ({ atMs: frame.atMs, computingMs: computingMs(frame) }));
  return { name, frames, latencyMs: latencyMs(attempt), stages, openingMs: attempt.openingMs, humanMs };
}
