import { type CoreImage, type FaceCore, FaceError } from '@svc/core';
import {
  type ModelBundle,
  type ModelName,
  type PassiveCalibration,
  type PassiveModelName,
  passiveNetworks,
  type ScorableLimits,
} from '@svc/face-models';
import type { TfliteRuntime } from '../runtime/port.ts';
import { coreImageOf, type ModelSession, openSessions } from '../session.ts';
import type { Box, FaceAnalysis, PassiveLiveness } from '../types.ts';
import { contextScale, livenessBox, livenessCrop } from './liveness-crop.ts';

export interface PassiveLivenessOptions {
  readonly core: FaceCore;
  /** Stays the caller's: dispose it after the passive check. */
  readonly runtime: TfliteRuntime;
  readonly bundle: ModelBundle;
}

/**
 * A passive check that scores the frames which its calibration says can be scored.
 *
 * @throws FaceError `model-missing` where the bundle lacks one of its networks, `model-mismatch` also where it has no
 *   calibration of them, `golden-mismatch`, `runtime-failed`
 */
export async function createPassiveLiveness(
  name: PassiveModelName,
  { runtime, bundle }: PassiveLivenessOptions,
  openScorer: (open: OpenNetwork, calibration: PassiveCalibration) => Promise<FrameScorer>,
): Promise<PassiveLiveness> {
  const missing = passiveNetworks[name].find((network) => !bundle.has(network));
  if (missing !== undefined) {
    throw new FaceError('model-missing', `the passive check ${name} needs ${missing}, which is not installed`);
  }
  const calibration = bundle.manifest.passiveLiveness?.find(({ model }) => model === name);
  if (calibration === undefined) {
    throw new FaceError('model-mismatch', `the passive check ${name} has no calibration: install its models anew`);
  }
  const scorer = await openSessions(runtime, bundle, (open) => openScorer(open, calibration));
  return {
    name,
    calibration,
    async score(image, face) {
      const frame = coreImageOf(image);
      const box = livenessBox(face.box);
      if (!isScorable(frame, box, face, calibration.scorable)) return null;
      const score = await scorer.score(frame, box);
      if (!Number.isFinite(score)) throw new FaceError('runtime-failed', 'the liveness score is not a number');
      return score;
    },
    dispose: () => scorer.dispose(),
  };
}

function isScorable(frame: CoreImage, box: Box, { quality }: FaceAnalysis, limits: ScorableLimits): boolean {
  return (
    contextScale(frame, box) >= limits.contextScale &&
    quality.interEyePx >= limits.interEyePx &&
    quality.brightness >= limits.brightness &&
    quality.overexposed <= limits.overexposed &&
    quality.sharpness >= limits.sharpness
  );
}

/** Judges a frame by what is in and around one face. Whether the frame can be scored at all is decided before. */
export interface FrameScorer {
  /**
   * @param box the liveness box of the face
   * @returns 0..1, more for a person; NaN where a network gave no number
   */
  score(frame: CoreImage, box: Box): Promise<number>;
  dispose(): void;
}

/** Opens a network of the bundle. */
export type OpenNetwork = (name: ModelName) => Promise<ModelSession>;

/** A network that reads a crop of the frame and says one number of it. */
export interface CropNetwork {
  readonly name: ModelName;
  /** How many times the liveness box the crop is. */
  readonly scale: number;
  /** Side of its input, pixels: crops that are no squares are squashed. */
  readonly side: number;
  /** From a byte of the picture to its input: `scale · byte + offset`. */
  readonly input: { readonly scale: number; readonly offset: number };
  /** Which element of its output is the number. */
  readonly element: number;
}

/**
 * A scorer of several networks, each on its own crop. @param combine what the numbers, in the networks' order, are
 * worth together, 0..1
 */
export async function openCropScorer(
  open: OpenNetwork,
  networks: readonly CropNetwork[],
  combine: (numbers: readonly number[]) => number,
): Promise<FrameScorer> {
  const opened: { readonly session: ModelSession; readonly network: CropNetwork }[] = [];
  for (const network of networks) opened.push({ session: await open(network.name), network });
  return {
    async score(frame, box) {
      const numbers: number[] = [];
      for (const { session, network } of opened) numbers.push(await numberOf(session, network, frame, box));
      return combine(numbers);
    },
    dispose() {
      for (const { session } of opened) session.dispose();
    },
  };
}

function numberOf(session: ModelSession, network: CropNetwork, frame: CoreImage, box: Box): Promise<number> {
  const { scale, side, input: range, element } = network;
  const crop = livenessCrop(frame, box, scale);
  const transform = { a: crop.width / side, b: 0, c: crop.x, d: 0, e: crop.height / side, f: crop.y };
  return session.infer(
    (input) => frame.warpToFloat(transform, side, side, { ...range, out: input }),
    (model) => model.output(0)[element] ?? Number.NaN,
  );
}
