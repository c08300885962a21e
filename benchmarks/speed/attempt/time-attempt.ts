import type { PixelImage } from '@svc/core';
import type { Camera, CheckInDevice, VerificationResult } from '@svc/device-sdk';
import { FRAME_MS, type Moment, Visitor } from './visitor.ts';

/** Times of one frame. */
export interface FrameTime {
  /** When it was taken, milliseconds since the first. */
  readonly atMs: number;
  /** Wall-clock time from its arrival to the request for the next one; for the last one to the result. */
  readonly wallMs: number;
  /** Processor time of all computing threads; null if unknown. */
  readonly processorMs: number | null;
}

/** One attempt from the call to the result. */
export interface AttemptTimes {
  /** Outcome and reason. */
  readonly ended: string;
  /** From the call until the camera is requested: admission, lookup, opening. */
  readonly openingMs: number;
  /** Every analysed frame; the last one decided. */
  readonly frames: readonly FrameTime[];
  readonly counts: VerificationResult['counts'];
}

/** Time of a frame: processor time if known, as in most suites, otherwise wall-clock time. */
export const computingMs = ({ wallMs, processorMs }: FrameTime): number => processorMs ?? wallMs;

/** Wall-clock time from the arrival of the last frame to the result. */
export const latencyMs = ({ frames }: AttemptTimes): number => frames.at(-1)?.wallMs ?? Number.NaN;

export interface Clocks {
  wallMs(): number;
  /** Processor time; null if unknown. May be slow; its own time is not counted. */
  processorMs(): number | null | Promise<number | null>;
}

export interface TimedAttempt {
  readonly device: Pick<CheckInDevice, 'verifyLiveAsync'>;
  readonly personId: string;
  /** The frame with this content. The time to get it is not counted. */
  readonly picture: (moment: Moment) => Promise<PixelImage>;
  readonly clocks: Clocks;
}

/** Longer than the window, so that the attempt ends first. */
const LAST_TICK = 11_000 / FRAME_MS;

/**
 * Times one attempt with a visitor who follows the prompts. The camera is a recording: every frame is analysed and
 * carries its own time, so a slow machine sees the same attempt as a fast one.
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
  const { outcome, reason, counts } = await device.verifyLiveAsync(personId, camera);
  // The camera is closed while the deciding frame is processed.
  await finishFrame();
  const openingMs = (askedForCameraMs ?? calledMs) - calledMs;
  return { ended: `${outcome}/${reason}`, openingMs, frames, counts };
}
