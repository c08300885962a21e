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

/** Parts of a passive check. */
export interface PassiveLivenessOptions {
  readonly core: FaceCore;
  /** Owned by the caller, who disposes it after the passive check. */
  readonly runtime: TfliteRuntime;
  readonly bundle: ModelBundle;
}

/**
 * Creates a passive check; frames outside its calibration's limits are not scored.
 * @throws FaceError `model-missing` if the bundle lacks one of its networks, `model-mismatch` also without a
 *   calibration, `golden-mismatch`, `runtime-failed`
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

/** Scores a frame by one face and its surroundings. Whether the frame can be scored is checked before. */
export interface FrameScorer {
  /**
   * @param box the liveness box of the face
   * @returns 0 to 1, higher for a person; NaN if a network gave no number
   */
  score(frame: CoreImage, box: Box): Promise<number>;
  dispose(): void;
}

/** Opens a network of the bundle. */
export type OpenNetwork = (name: ModelName) => Promise<ModelSession>;

/** A network that reads a crop of the frame and gives one number. */
export interface CropNetwork {
  readonly name: ModelName;
  /** Size of the crop, in liveness boxes. */
  readonly scale: number;
  /** Side of its input, pixels; a crop that is not square is stretched. */
  readonly side: number;
  /** Maps a pixel byte to the input: `scale · byte + offset`. */
  readonly input: { readonly scale: number; readonly offset: number };
  /** Index of the number in its output. */
  readonly element: number;
}

/**
 * A scorer of several networks, each with its own crop. @param combine combines their numbers, in order, to a score of
 * 0 to 1
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
