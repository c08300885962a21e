import { ok } from 'node:assert/strict';
import type { PixelImage } from '@svc/core';
import type { Box, Detection, EngineImage, FaceAnalysis, FaceEngine } from '@svc/face-engine';

/** The one face of a picture, at every stage of the engine. */
export interface OneFace {
  readonly image: EngineImage;
  readonly detection: Detection;
  readonly analysis: FaceAnalysis;
}

export async function oneFace(engine: FaceEngine, picture: PixelImage): Promise<OneFace> {
  const image = engine.open(picture);
  const [detection, ...others] = await engine.detect(image);
  const analysis = detection && (await engine.analyse(image, detection));
  if (!detection || !analysis || others.length > 0) throw new Error('the picture must show one face');
  return { image, detection, analysis };
}

/** Intersection over union. */
export function overlap(a: Box, b: Box): number {
  const width = Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x);
  const height = Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y);
  if (width <= 0 || height <= 0) return 0;
  return (width * height) / (a.width * a.height + b.width * b.height - width * height);
}

/** Both must have looked at the same face, or their times say nothing about each other. Peers draw wider boxes. */
export function checkSameFace(ours: Box, theirs: Box): void {
  const shiftX = theirs.x + theirs.width / 2 - (ours.x + ours.width / 2);
  const shiftY = theirs.y + theirs.height / 2 - (ours.y + ours.height / 2);
  ok(Math.hypot(shiftX, shiftY) < ours.width / 4, 'engine and peer must find the same face');
}
