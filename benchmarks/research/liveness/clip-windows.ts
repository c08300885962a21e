import type { CameraFrame } from '@svc/device-sdk';
import { STANDARD_POLICY, watchLiveness } from '@svc/device-sdk/evaluation';
import type { FaceEngine, PassiveLiveness } from '@svc/face-engine';

/** Passive liveness results of three seconds of a recording. */
export interface ClipWindow {
  /** A frame in the band of attacks. */
  readonly attackFrame: boolean;
  /** The estimate fell below 0.9 at some frame; null if there was none. */
  readonly everBelow: boolean | null;
  /** It was below 0.9 at the last scored frame, so for the three seconds as a whole; null if there was none. */
  readonly belowAtEnd: boolean | null;
}

export interface CountedWindow extends ClipWindow {
  /** No frame could be scored: a visit would end as never scorable. */
  readonly neverScored: boolean;
}

export interface ClipFigures {
  readonly frames: number;
  readonly withFace: number;
  readonly scored: number;
  readonly windows: readonly CountedWindow[];
}

/**
 * Cuts a recording into windows of three seconds and judges each like an attempt's first three: every frame alone, and
 * the running estimate at each frame that has one. A remainder shorter than a window is left out.
 */
export async function judgeWindows(
  engine: FaceEngine,
  passiveLiveness: PassiveLiveness,
  frames: AsyncIterable<CameraFrame>,
): Promise<ClipFigures> {
  const { minOutward } = STANDARD_POLICY.passive;
  const { attackFrameAtMost } = passiveLiveness.calibration;
  const figures = { frames: 0, withFace: 0, scored: 0 };
  const windows: CountedWindow[] = [];
  for await (const { frames: ofWindow, isWhole } of cut(frames, STANDARD_POLICY.passive.estimateWindowMs)) {
    const outward: number[] = [];
    let attackFrame = false;
    let scored = 0;
    for await (const seen of watchLiveness({ engine, passiveLiveness, frames: ofWindow })) {
      figures.frames += 1;
      if (seen.faces === 1) figures.withFace += 1;
      if (seen.passive !== null) scored += 1;
      if (seen.passive !== null && seen.passive <= attackFrameAtMost) attackFrame = true;
      if (seen.outward !== null) outward.push(seen.outward);
    }
    figures.scored += scored;
    if (!isWhole()) continue;
    const last = outward.at(-1);
    windows.push({
      neverScored: scored === 0,
      attackFrame,
      everBelow: last === undefined ? null : outward.some((score) => score < minOutward),
      belowAtEnd: last === undefined ? null : last < minOutward,
    });
  }
  return { ...figures, windows };
}

interface Part {
  readonly frames: AsyncGenerator<CameraFrame>;
  /** Whether the next part follows it, rather than the recording's end; known once its frames were read. */
  isWhole(): boolean;
}

/** Frames in parts of equal time, with only the next frame in memory. */
async function* cut(frames: AsyncIterable<CameraFrame>, partMs: number): AsyncGenerator<Part> {
  const source = frames[Symbol.asyncIterator]();
  const pull = async (): Promise<CameraFrame | null> => {
    const { done, value } = await source.next();
    return done === true ? null : value;
  };
  let next = await pull();
  const partOf = (frame: CameraFrame | null): number | null =>
    frame === null ? null : Math.floor(frame.timestampMs / partMs);
  async function* within(part: number): AsyncGenerator<CameraFrame> {
    while (next !== null && partOf(next) === part) {
      yield next;
      next = await pull();
    }
  }
  for (let part = partOf(next); part !== null; part = partOf(next)) {
    yield { frames: within(part), isWhole: () => next !== null };
  }
}
