import { type CoreImage, FaceError } from '@svc/core';
import {
  type ModelBundle,
  type PassiveModelName,
  passiveModelIn,
  passiveModelNames,
  type ScorableLimits,
} from '@svc/face-models';
import { centreOf, distance, type Landmarks } from '../mesh/landmarks.ts';
import type { NetworkRuntime } from '../runtime/port.ts';
import { coreImageOf, type ModelSession, openSessions } from '../session.ts';
import type { Box, EngineImage, FaceAnalysis, PassiveLiveness } from '../types.ts';
import { evidenceOf, type PassiveReading, type Probabilities } from './evidence.ts';

/** Parts of a passive check. */
export interface PassiveLivenessOptions {
  /** Owned by the caller, who disposes it after the passive check. */
  readonly runtime: NetworkRuntime;
  readonly bundle: ModelBundle;
}

/** Size of the crop that each of MiniFASNet's two networks reads, in liveness boxes. */
const crops = { v2: 2.7, v1se: 4 } as const;
/** Side of a network's input, pixels; a crop that is not square is stretched. */
const inputSide = 80;

/**
 * Opens the passive check of a bundle: minivision's Silent-Face-Anti-Spoofing, which an operator adds with `svc models
 * add minifasnet`. A frame's score is the mean of both networks' live probabilities; frames outside the calibration's
 * limits are not scored.
 * @param model null for none; a name requires it. Default: the bundle's, if it is installed
 * @returns null for `model` null, or if none was named and none is installed
 * @throws FaceError `configuration-invalid` for an unknown name, `model-missing` if the named model is not installed,
 *   `model-mismatch` also without its calibration, `golden-mismatch`, `runtime-failed`
 */
export async function openPassiveLiveness(
  { runtime, bundle }: PassiveLivenessOptions,
  model: PassiveModelName | null = passiveModelIn(bundle.manifest),
): Promise<PassiveLiveness | null> {
  if (model === null) return null;
  if (!passiveModelNames.includes(model)) {
    throw new FaceError('configuration-invalid', `the passive models are ${passiveModelNames.join(', ')}`);
  }
  if (passiveModelIn(bundle.manifest) !== model) {
    throw new FaceError('model-missing', `the passive check ${model} is not installed`);
  }
  const calibration = bundle.manifest.passiveLiveness;
  if (calibration === undefined) {
    throw new FaceError('model-mismatch', `the passive check ${model} has no calibration: install its models anew`);
  }
  const networks = await openPassiveNetworks({ runtime, bundle });
  return {
    name: model,
    calibration,
    async score(image, face) {
      if (!isScorable(image, face, calibration.scorable)) return null;
      const reading = await networks.read(image, face);
      const score = (reading.v2[1] + reading.v1se[1]) / 2;
      return { score, evidence: calibration.evidence && evidenceOf(reading, calibration.evidence) };
    },
    dispose: networks.dispose,
  };
}

/** Both networks without a calibration. For evaluation. */
export interface PassiveNetworks {
  /** @throws FaceError `runtime-failed` */
  read(image: EngineImage, face: FaceAnalysis): Promise<PassiveReading>;
  dispose(): void;
}

/** @throws FaceError `model-missing`, `model-mismatch`, `golden-mismatch`, `runtime-failed` */
export async function openPassiveNetworks({ runtime, bundle }: PassiveLivenessOptions): Promise<PassiveNetworks> {
  const [v2, v1se] = await openSessions(
    runtime,
    bundle,
    async (open) => [await open('minifasnet-v2'), await open('minifasnet-v1se')] as const,
  );
  return {
    async read(image, face) {
      const frame = coreImageOf(image);
      const box = livenessBox(face.box);
      return {
        v2: await probabilitiesOf(v2, frame, livenessCrop(frame, box, crops.v2)),
        v1se: await probabilitiesOf(v1se, frame, livenessCrop(frame, box, crops.v1se)),
        room: contextScale(frame, box),
      };
    },
    dispose() {
      v2.dispose();
      v1se.dispose();
    },
  };
}

function isScorable(frame: EngineImage, { box, quality }: FaceAnalysis, limits: ScorableLimits): boolean {
  return (
    livenessContextScale(frame, box) >= limits.contextScale &&
    quality.interEyePx >= limits.interEyePx &&
    quality.brightness >= limits.brightness &&
    quality.overexposed <= limits.overexposed &&
    quality.sharpness >= limits.sharpness
  );
}

/** One network's answer. Its input is the crop's bytes, 0 to 255. */
async function probabilitiesOf(session: ModelSession, frame: CoreImage, crop: Box): Promise<Probabilities> {
  const transform = { a: crop.width / inputSide, b: 0, c: crop.x, d: 0, e: crop.height / inputSide, f: crop.y };
  const [print = Number.NaN, live = Number.NaN, screen = Number.NaN] = await session.infer(
    (input) => frame.warpToFloat(transform, inputSide, inputSide, { scale: 1, offset: 0, out: input }),
    (model) => [...model.output(0)],
  );
  if (![print, live, screen].every(Number.isFinite)) {
    throw new FaceError('runtime-failed', 'the liveness score is not a number');
  }
  return [print, live, screen];
}

/** Mesh indices of the face's sides in front of the ears, the top of the forehead and the chin. */
const outline = { right: 234, left: 454, top: 10, chin: 152 } as const;

const between = (landmarks: Landmarks, a: number, b: number): number =>
  distance(centreOf(landmarks, a), centreOf(landmarks, b));

/**
 * Width over height of the face in the picture, about 0.8 from the front; NaN for height 0. A head stays nearly as wide
 * when turned by 25°, since cheek and temple come into view. A sheet turned until its face appears equally far aside
 * narrows by a fifth or more, bent or not.
 */
export function faceAspect(landmarks: Landmarks): number {
  return between(landmarks, outline.right, outline.left) / between(landmarks, outline.top, outline.chin);
}

/**
 * The frame's face box as MiniFASNet's detector (RetinaFace) gives it, from the bounds of the mesh; fitted on 125
 * photos.
 */
export function livenessBox({ x, y, width, height }: Box): Box {
  const w = width * 1.123;
  const h = height * 0.966;
  return { x: x + width * 0.502 - w / 2, y: y + height * 0.518 - h / 2, width: w, height: h };
}

/** How many times the box fits into the frame, in the tighter dimension. */
export function contextScale(frame: { width: number; height: number }, box: Box): number {
  return Math.min((frame.width - 1) / box.width, (frame.height - 1) / box.height);
}

/** Context around a face for the passive check: how many times its liveness box fits into the frame. */
export const livenessContextScale = (frame: { width: number; height: number }, face: Box): number =>
  contextScale(frame, livenessBox(face));

/**
 * The crop of upstream's `CropImage`: the box scaled by `scale` as far as the frame allows, shifted inside, in whole
 * pixels.
 */
export function livenessCrop(frame: { width: number; height: number }, box: Box, scale: number): Box {
  const effective = Math.min(scale, contextScale(frame, box));
  const across = cropAlong(box.x + box.width / 2, box.width * effective, frame.width);
  const down = cropAlong(box.y + box.height / 2, box.height * effective, frame.height);
  return { x: across.start, y: down.start, width: across.length, height: down.length };
}

function cropAlong(centre: number, length: number, size: number): { start: number; length: number } {
  let start = centre - length / 2;
  let end = centre + length / 2;
  if (start < 0) {
    end -= start;
    start = 0;
  }
  if (end > size - 1) {
    start -= end - size + 1;
    end = size - 1;
  }
  const first = Math.max(0, Math.trunc(start));
  return { start: first, length: Math.min(size - 1, Math.trunc(end)) - first + 1 };
}
