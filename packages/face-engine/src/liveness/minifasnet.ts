import { type CoreImage, type FaceCore, FaceError } from '@svc/core';
import type { ModelBundle, ScorableLimits } from '@svc/face-models';
import { coreImageOf } from '../open-image.ts';
import type { TfliteRuntime } from '../runtime/port.ts';
import { type ModelSession, openSession } from '../session.ts';
import type { Box, EngineImage, FaceAnalysis, PassiveLiveness } from '../types.ts';

/** As calibrations name it. */
const modelName = 'minifasnet';
const inputSize = 80;
/** Output of the softmax that means live; the others are two kinds of attack. */
const liveIndex = 1;

/** The two networks of minivision's Silent-Face-Anti-Spoofing, each with the scale of its crop. */
const networks = [
  { name: 'minifasnet-v2', scale: 2.7 },
  { name: 'minifasnet-v1se', scale: 4 },
] as const;

/** The frame's face box as the networks' own detector (RetinaFace) draws it, from the bounds of the mesh; fitted on 125 photos. */
export function livenessBox({ x, y, width, height }: Box): Box {
  const w = width * 1.123;
  const h = height * 0.966;
  return { x: x + width * 0.502 - w / 2, y: y + height * 0.518 - h / 2, width: w, height: h };
}

/** How many times the box fits into the frame, in the tighter direction. */
export function contextScale(frame: { width: number; height: number }, box: Box): number {
  return Math.min((frame.width - 1) / box.width, (frame.height - 1) / box.height);
}

/** Room around a face as the passive check measures it: how many times its box fits into the frame. */
export const livenessContextScale = (frame: { width: number; height: number }, face: Box): number =>
  contextScale(frame, livenessBox(face));

/**
 * The crop of upstream's `CropImage`: the box grown by `scale` or as far as the frame allows, shifted to stay inside, cut to
 * whole pixels.
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

/**
 * MiniFASNet V2 and V1SE, mean of both. An operator adds the models (`svc models add minifasnet`); not in the base bundle.
 *
 * @throws FaceError `model-missing` when the add-on is absent, `model-mismatch` also when it came without its calibration,
 * `golden-mismatch`, `runtime-failed`
 */
export async function createMiniFasNet(options: {
  readonly core: FaceCore;
  readonly runtime: TfliteRuntime;
  readonly bundle: ModelBundle;
}): Promise<PassiveLiveness> {
  const { runtime, bundle } = options;
  if (!networks.every(({ name }) => bundle.has(name))) {
    throw new FaceError('model-missing', 'the passive-liveness add-on is not installed');
  }
  const calibration = bundle.manifest.passiveLiveness;
  if (calibration?.model !== modelName) {
    throw new FaceError('model-mismatch', 'the passive-liveness add-on has no calibration: install it anew');
  }
  const sessions: { session: ModelSession; scale: number }[] = [];
  try {
    for (const { name, scale } of networks) sessions.push({ session: await openSession(runtime, bundle, name), scale });
  } catch (cause) {
    for (const { session } of sessions) session.dispose();
    throw cause;
  }
  return {
    name: modelName,
    calibration,
    async score(image: EngineImage, face: FaceAnalysis): Promise<number | null> {
      const pixels = coreImageOf(image);
      const box = livenessBox(face.box);
      if (!isScorable(pixels, box, face, calibration.scorable)) return null;
      let sum = 0;
      for (const { session, scale } of sessions)
        sum += await liveProbability(session, pixels, livenessCrop(pixels, box, scale));
      const mean = sum / sessions.length;
      if (!Number.isFinite(mean)) throw new FaceError('runtime-failed', 'the liveness score is not a number');
      return mean;
    },
    dispose(): void {
      for (const { session } of sessions) session.dispose();
    },
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

function liveProbability(session: ModelSession, image: CoreImage, crop: Box): Promise<number> {
  const transform = { a: crop.width / inputSize, b: 0, c: crop.x, d: 0, e: crop.height / inputSize, f: crop.y };
  return session.infer(
    (input) => image.warpToFloat(transform, inputSize, inputSize, { out: input }),
    (model) => model.output(0)[liveIndex] ?? Number.NaN,
  );
}
