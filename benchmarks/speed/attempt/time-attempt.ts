import type { PixelImage } from '@svc/core';
import type { Camera, CheckInDevice, VerificationResult } from '@svc/device-sdk';
import { FRAME_MS, type Moment, Visitor } from './visitor.ts';

/** What one frame took. */
export interface FrameTime {
  /** When it was taken, milliseconds from the first. */
  readonly atMs: number;
  /** From its arrival until the next one is asked for; of the last one until the result. By the clock on the wall. */
  readonly wallMs: number;
  /** Processor time of all threads that compute; null where it can't be told. */
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

/** Of a frame: processor time where it can be told, as in most suites; else by the clock. */
export const computingMs = ({ wallMs, processorMs }: FrameTime): number => processorMs ?? wallMs;

/** From the arrival of the last frame that was needed to the result, by the clock. */
export const latencyMs = ({ frames }: AttemptTimes): number => frames.at(-1)?.wallMs ?? Number.NaN;

export interface Clocks {
  wallMs(): number;
  /** Processor time; null where it can't be told. May take a while, which is not counted. */
  processorMs(): number | null | Promise<number | null>;
}

export interface TimedAttempt {
  readonly device: Pick<CheckInDevice, 'verifyLiveAsync'>;
  readonly personId: string;
  /** The frame that shows this. What it takes to get it is not counted. */
  readonly picture: (moment: Moment) => Promise<PixelImage>;
  readonly clocks: Clocks;
}

/** Longer than the window, so that the attempt and not the camera ends it. */
const LAST_TICK = 11_000 / FRAME_MS;

/**
 * Takes the times of one attempt with a visitor who does as asked. The camera is a recorded one: every frame is looked
 * at, its time is its own, so that a slow machine sees the same attempt as a fast one.
 */
export async function timeAttempt({ device, personId, picture, clocks }: TimedAttempt): Promise<AttemptTimes> {
  const visitor = new Visitor();
  const frames: FrameTime[] = [];
  let arrived: FrameTime | null = null;
  let askedForCameraMs: number | null = null;

  const arrive = async (atMs: number) => {
    const processorMs = await clocks.processorMs();
    arrived = { atMs, wallMs: clocks.wallMs(), processorMs };
  };
  const finishFrame = async () => {
    const wallMs = clocks.wallMs();
    if (arrived === null) return;
    const before = arrived;
    arrived = null;
    const spent = await clocks.processorMs();
    const processorMs = spent === null || before.processorMs === null ? null : spent - before.processorMs;
    frames.push({ atMs: before.atMs, wallMs: wallMs - before.wallMs, processorMs });
  };
  const camera: Camera = {
    timing: 'recorded',
    prompt: (prompt) => visitor.hear(prompt),
    async *frames(signal) {
      askedForCameraMs = clocks.wallMs();
      for (let tick = 0; !signal.aborted && tick < LAST_TICK; tick += 1) {
        const atMs = tick * FRAME_MS;
        const image = await picture(visitor.moment(tick));
        await arrive(atMs);
        yield { image, timestampMs: atMs };
        await finishFrame();
      }
    },
  };

  const calledMs = clocks.wallMs();
  const { outcome, reason, timings, counts } = await device.verifyLiveAsync(personId, camera);
  // The camera is let go in the midst of the frame that decided.
  await finishFrame();
  const openingMs = (askedForCameraMs ?? calledMs) - calledMs;
  return { ended: `${outcome}/${reason}`, openingMs, frames, timings, counts };
}
