import type { PixelImage } from '@svc/core';
import { type FaceAnalysis, type FaceEngine, livenessBox, livenessContextScale, wipeAnalysis } from '@svc/face-engine';
import type { SourceFace } from './sources-index.ts';

/** The box has to fit twice into the picture, as it has to for the passive check: there is nothing around the face to judge by otherwise. */
export const minContextScale = 2;
/** Pixels; below it neither a screen's grid nor the paper's raster could be told from the camera's. */
export const minInterEyePx = 20;

export interface FoundFace extends SourceFace {
  /** Whose face it is in the engine's measure, where it was asked for. */
  readonly template: Float32Array | null;
}

export interface FoundFaces {
  /** Faces for training, the largest first. */
  readonly faces: readonly FoundFace[];
  /** How many were left out, by reason. */
  readonly excluded: Readonly<Record<string, number>>;
}

const rounded = (value: number): number => Math.round(value * 100) / 100;

/** Why a face is of no use for training; null where it is. */
export function reasonAgainst(contextScale: number, interEyePx: number): string | null {
  if (contextScale < minContextScale) return 'face fills more than half';
  if (interEyePx < minInterEyePx) return `eyes closer than ${minInterEyePx} px`;
  return null;
}

function faceOf(
  frame: { width: number; height: number },
  face: FaceAnalysis,
  template: Float32Array | null,
): FoundFace {
  const { x, y, width, height } = livenessBox(face.box);
  const { landmarks } = face;
  return {
    box: [rounded(x), rounded(y), rounded(width), rounded(height)],
    landmarks: Array.from({ length: landmarks.length / 3 }, (_, i) => [
      rounded(landmarks[3 * i] ?? 0),
      rounded(landmarks[3 * i + 1] ?? 0),
    ]),
    yawDeg: rounded(face.pose.yawDeg),
    contextScale: rounded(livenessContextScale(frame, face.box)),
    template,
  };
}

/** Every face of a picture as the engine sees it. @param withTemplates also says whose they are */
export async function findFaces(engine: FaceEngine, picture: PixelImage, withTemplates: boolean): Promise<FoundFaces> {
  const image = engine.open(picture);
  const faces: FoundFace[] = [];
  const excluded: Record<string, number> = {};
  const leaveOut = (reason: string): void => {
    excluded[reason] = (excluded[reason] ?? 0) + 1;
  };
  try {
    const detections = await engine.detect(image);
    if (detections.length === 0) leaveOut('no face');
    for (const detection of detections) {
      const face = await engine.analyse(image, detection);
      if (face === null) {
        leaveOut('not surely a face');
        continue;
      }
      const reason = reasonAgainst(livenessContextScale(picture, face.box), face.quality.interEyePx);
      if (reason === null) faces.push(faceOf(picture, face, withTemplates ? await engine.embed(image, face) : null));
      else leaveOut(reason);
      wipeAnalysis(face);
    }
  } finally {
    image.dispose();
  }
  faces.sort((a, b) => b.box[2] - a.box[2]);
  return { faces, excluded };
}
