import { basename } from 'node:path';
import { meanOf } from '@svc/benchmarks/inputs/summary';
import { STANDARD_POLICY, type WatchedFrame, watchLiveness } from '@svc/device-sdk/evaluation';
import type { Box, PassiveCalibration } from '@svc/face-engine';
import type { Command } from 'commander';
import { CliError, exitCodes } from '../cli-error.ts';
import { withEngine } from '../engine.ts';
import { print } from '../output.ts';
import { fromInvocation, photosIn } from '../paths.ts';
import { recordedFrames } from '../recorded-frames.ts';
import { type PassiveModelOption, passiveModelOption, positiveNumber } from './options.ts';

/** Output for one frame. */
export interface FrameLine {
  readonly frame: string;
  readonly timeMs: number;
  /** Number of faces, as an attempt counts them; 2 means two or more, and then none is scored. */
  readonly faces: 0 | 1 | 2;
  /** Box of the tracked face, in pixels of the processed frame. */
  readonly face: Box | null;
  readonly yawDeg: number | null;
  /** Live probability of this frame alone; null if it cannot be scored. */
  readonly passive: number | null;
  /**
   * The running estimate, which the device compares with 0.9; null while too few frames were scored, and at a frame
   * that cannot be scored.
   */
  readonly outward: number | null;
}

/** Output for the clip. */
export interface ClipLine {
  readonly clip: {
    readonly frames: number;
    readonly withFace: number;
    readonly scored: number;
    readonly meanPassive: number | null;
    readonly lowestPassive: number | null;
    readonly lowestOutward: number | null;
    /** Calibration for reading the scores. */
    readonly calibration: string;
    /** Frames that look like a photo or screen on their own. */
    readonly attackFrames: number;
    readonly verdict: 'live' | 'attack' | 'unscorable';
  };
}

/** Text of an attempt's observations in the frame. */
export const frameLine = (frame: string, seen: WatchedFrame): FrameLine => ({
  frame,
  timeMs: seen.timestampMs,
  faces: seen.faces,
  face: seen.box,
  yawDeg: seen.yawDeg,
  passive: seen.passive,
  outward: seen.outward,
});

/** Judges a clip by the device's policy: each frame alone, and the running estimate at each frame. */
export function judgeClip(lines: readonly FrameLine[], calibration: PassiveCalibration): ClipLine {
  const { minOutward } = STANDARD_POLICY.passive;
  const numbers = (values: readonly (number | null)[]) => values.filter((value) => value !== null);
  const lowest = (values: readonly number[]) => (values.length === 0 ? null : Math.min(...values));
  const passive = numbers(lines.map((line) => line.passive));
  const lowestOutward = lowest(numbers(lines.map((line) => line.outward)));
  const attackFrames = passive.filter((score) => score <= calibration.attackFrameAtMost).length;
  const attack = attackFrames > 0 || (lowestOutward !== null && lowestOutward < minOutward);
  return {
    clip: {
      frames: lines.length,
      withFace: lines.filter((line) => line.face !== null).length,
      scored: passive.length,
      meanPassive: passive.length === 0 ? null : meanOf(passive),
      lowestPassive: lowest(passive),
      lowestOutward,
      calibration: calibration.id,
      attackFrames,
      verdict: attack ? 'attack' : lowestOutward === null ? 'unscorable' : 'live',
    },
  };
}

interface LivenessOptions extends PassiveModelOption {
  readonly fps: number;
}

async function liveness(folder: string, { fps, passiveModel }: LivenessOptions): Promise<ClipLine> {
  const paths = await photosIn(folder);
  return withEngine(
    async ({ engine, passiveLiveness }) => {
      if (!passiveLiveness) {
        throw new CliError('passive liveness is not installed: svc models add minifasnet', exitCodes.environment);
      }
      const lines: FrameLine[] = [];
      const names = paths.map((path) => basename(path));
      for await (const seen of watchLiveness({ engine, passiveLiveness, frames: recordedFrames(paths, fps) })) {
        const line = frameLine(names[lines.length] ?? '', seen);
        print(JSON.stringify(line));
        lines.push(line);
      }
      return judgeClip(lines, passiveLiveness.calibration);
    },
    { passiveModel },
  );
}

export function registerLiveness(program: Command): void {
  program
    .command('liveness')
    .summary('passive liveness of recorded frames')
    .description(
      'Prints a JSON line per frame (face, yaw, passive score), in name order, then one for the clip. Exit code 0: live, 1: not shown to be live.',
    )
    .argument('<folder>', 'frames (JPEG, PNG or PGM)')
    .option('--fps <rate>', 'frames per second: the running estimate looks back 3 s', positiveNumber, 10)
    .addOption(passiveModelOption())
    .action(async (folder: string, options: LivenessOptions) => {
      const clip = await liveness(fromInvocation(folder), options);
      print(JSON.stringify(clip));
      if (clip.clip.verdict !== 'live') process.exitCode = exitCodes.negative;
    });
}
