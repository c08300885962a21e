import type { PixelImage } from '@svc/core';
import type { Camera, CheckInDevice, VerificationResult } from '@svc/device-sdk';
import { FRAME_MS, type Moment, Visitor } from './visitor.ts';

/** What one frame took. */
export interface FrameTime {
  /** When it was taken, milliseconds from the first. */
  readonly atMs: number;
  /** From its arrival until the next one is asked for; of the last one until the result. By the clock on the wall. */
  readonly wallMs: number;
  /** Processor time of the whole process; null where it can't be told. */
  readonly processorMs: number | null;
}

/** One attempt from the call to the result. */
export interface AttemptTimes {
  /** Outcome and reason. */
  readonly ended: string;
  /** From the call until the camera is asked for: admission, lookup, opening. */
  readonly openingMs: number;
  /** Every frame that was looked at; the last is the one that decided. */
  readonly frames: readonly FrameTime[];
  readonly timings: VerificationResult['timings'];
  readonly counts: VerificationResult['counts'];
}

/** A reading of the clocks. */
export interface Reading {
  readonly wallMs: number;
  readonly processorMs: number | null;
}

export interface TimedAttempt {
  readonly device: Pick<CheckInDevice, 'verifyLiveAsync'>;
  readonly personId: string;
  /** The frame that shows this. What it takes to get it is not counted. */
  readonly picture: (moment: Moment) => Promise<PixelImage>;
  readonly readClocks: () => Reading;
}

/** Longer than the window, so that the attempt and not the camera ends it. */
const LAST_TICK = 11_000 / FRAME_MS;

/**
 * Takes the times of one attempt with a visitor who does as asked. The camera is a recorded one: every frame is looked at, its time is its own, so that a slow machine sees
 * the same attempt as a fast one.
 */
export async function timeAttempt({ device, personId, picture, readClocks }: TimedAttempt): Promise<AttemptTimes> {
  const visitor = new Visitor();
  const frames: FrameTime[] = [];
  let arrived: { readonly atMs: number; readonly at: Reading } | null = null;
  let askedForCamera: Reading | null = null;

  const finishFrame = () => {
    if (arrived === null) return;
    const now = readClocks();
    const { atMs, at } = arrived;
    const processorMs = now.processorMs === null || at.processorMs === null ? null : now.processorMs - at.processorMs;
    frames.push({ atMs, wallMs: now.wallMs - at.wallMs, processorMs });
    arrived = null;
  };
  const camera: Camera = {
    timing: 'recorded',
    prompt: (prompt) => visitor.hear(prompt),
    async *frames(signal) {
      askedForCamera = readClocks();
      for (let tick = 0; !signal.aborted && tick < LAST_TICK; tick += 1) {
        const atMs = tick * FRAME_MS;
        const image = await picture(visitor.moment(tick));
        arrived = { atMs, at: readClocks() };
        yield { image, timestampMs: atMs };
        finishFrame();
      }
    },
  };

  const called = readClocks();
  const { outcome, reason, timings, counts } = await device.verifyLiveAsync(personId, camera);
  // The camera is let go in the midst of the frame that decided.
  finishFrame();
  const opened: Reading = askedForCamera ?? called;
  return { ended: `${outcome}/${reason}`, openingMs: opened.wallMs - called.wallMs, frames, timings, counts };
}
