import { emptyEstimate, observePassive, outwardScore, STANDARD_POLICY } from '@svc/device-sdk';
import { type Box, type FaceAnalysis, type FaceEngine, type PassiveLiveness, wipeAnalysis } from '@svc/face-engine';
import type { Command } from 'commander';
import { CliError, exitCodes } from '../cli-error.ts';
import { withEngine } from '../engine.ts';
import { print } from '../output.ts';
import { fromInvocation, photosIn } from '../paths.ts';
import { type RecordedFrame, recordedFrames } from './frames.ts';
import { positiveNumber } from './options.ts';

/** A frame's line. */
export interface FrameLine {
  readonly frame: string;
  readonly timeMs: number;
  /** Confirmed faces in the frame. */
  readonly faces: number;
  /** Box of the largest one, in pixels of the frame as it is processed. */
  readonly face: Box | null;
  readonly yawDeg: number | null;
  /** Live probability of this frame by itself; null when it cannot be scored. */
  readonly passive: number | null;
  /** The running estimate that the device holds against 0.9; null while too few frames were scored. */
  readonly outward: number | null;
}

/** The clip's line. */
export interface ClipLine {
  readonly clip: {
    readonly frames: number;
    readonly withFace: number;
    readonly scored: number;
    readonly meanPassive: number | null;
    readonly lowestPassive: number | null;
    readonly lowestOutward: number | null;
    /** Frames that by themselves look like a photo or screen. */
    readonly attackFrames: number;
    readonly verdict: 'live' | 'attack' | 'unscorable';
  };
}

async function largestFace(engine: FaceEngine, frame: RecordedFrame, passiveLiveness: PassiveLiveness) {
  const image = engine.open(frame.image);
  let largest: FaceAnalysis | null = null;
  let faces = 0;
  try {
    for (const detection of await engine.detect(image)) {
      const face = await engine.analyse(image, detection);
      if (!face) continue;
      faces += 1;
      const larger = face.quality.faceWidthPx > (largest?.quality.faceWidthPx ?? 0);
      const dropped = larger ? largest : face;
      if (dropped) wipeAnalysis(dropped);
      if (larger) largest = face;
    }
    if (!largest) return { faces, face: null, yawDeg: null, passive: null };
    const passive = await passiveLiveness.score(image, largest);
    return { faces, face: largest.box, yawDeg: largest.pose.yawDeg, passive };
  } finally {
    if (largest) wipeAnalysis(largest);
    image.dispose();
  }
}

/** Judges a clip by the policy of the device: each frame by itself and the running estimate at each frame. */
export function judgeClip(lines: readonly FrameLine[]): ClipLine {
  const { minOutward, attackFrameAtMost } = STANDARD_POLICY.passive;
  const numbers = (values: readonly (number | null)[]) => values.filter((value) => value !== null);
  const lowest = (values: readonly number[]) => (values.length === 0 ? null : Math.min(...values));
  const passive = numbers(lines.map((line) => line.passive));
  const lowestOutward = lowest(numbers(lines.map((line) => line.outward)));
  const attackFrames = passive.filter((score) => score <= attackFrameAtMost).length;
  const attack = attackFrames > 0 || (lowestOutward !== null && lowestOutward < minOutward);
  return {
    clip: {
      frames: lines.length,
      withFace: lines.filter((line) => line.face !== null).length,
      scored: passive.length,
      meanPassive: passive.length === 0 ? null : passive.reduce((sum, score) => sum + score, 0) / passive.length,
      lowestPassive: lowest(passive),
      lowestOutward,
      attackFrames,
      verdict: attack ? 'attack' : lowestOutward === null ? 'unscorable' : 'live',
    },
  };
}

async function liveness(folder: string, fps: number): Promise<ClipLine> {
  const paths = await photosIn(folder);
  return withEngine(async ({ engine, passiveLiveness }) => {
    if (!passiveLiveness) {
      throw new CliError('passive liveness is not installed: svc models add minifasnet', exitCodes.environment);
    }
    let estimate = emptyEstimate;
    const lines: FrameLine[] = [];
    for await (const frame of recordedFrames(paths, fps)) {
      const seen = await largestFace(engine, frame, passiveLiveness);
      estimate = observePassive(estimate, { atMs: frame.timestampMs, score: seen.passive }, STANDARD_POLICY.passive);
      const outward = outwardScore(estimate, STANDARD_POLICY.passive);
      const line = { frame: frame.name, timeMs: frame.timestampMs, ...seen, outward };
      print(JSON.stringify(line));
      lines.push(line);
    }
    return judgeClip(lines);
  });
}

export function registerLiveness(program: Command): void {
  program
    .command('liveness')
    .summary('passive liveness of recorded frames')
    .description(
      'One JSON line a frame (face, yaw, passive score), in name order, then one for the clip. Exit code 0: live, 1: not shown to be.',
    )
    .argument('<folder>', 'frames (JPEG, PNG or PGM)')
    .option('--fps <rate>', 'frames a second: the running estimate looks 3 s back', positiveNumber, 10)
    .action(async (folder: string, options: { fps: number }) => {
      const clip = await liveness(fromInvocation(folder), options.fps);
      print(JSON.stringify(clip));
      if (clip.clip.verdict !== 'live') process.exitCode = exitCodes.negative;
    });
}
