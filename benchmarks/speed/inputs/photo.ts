import { ok } from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import type { PixelImage } from '@svc/core';
import type { Box, Detection, EngineImage, FaceAnalysis, FaceEngine } from '@svc/face-engine';
import type { NodeFaceEngine } from '@svc/face-engine/node';
import { renderHead } from '@svc/synthetic-faces';
import sharp from 'sharp';
import { sharedData } from '../../inputs/shared-data.ts';
import type { HumanFace } from '../peers/human.ts';

/** The one face of a picture, at each stage of the engine. */
interface OneFace {
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

/** The passive score of a picture; null without the add-on. @throws Error if the add-on cannot score the picture */
export async function passiveOf(
  { engine, passiveLiveness }: NodeFaceEngine,
  picture: PixelImage,
): Promise<number | null> {
  if (!passiveLiveness) return null;
  const { image, analysis } = await oneFace(engine, picture);
  const scored = await passiveLiveness.score(image, analysis);
  image.dispose();
  if (scored === null) throw new Error('the picture must be fit for passive liveness');
  return scored.score;
}

/** Both sides must have found the same face, otherwise their times are not comparable. Peers draw wider boxes. */
function checkSameFace(ours: Box, theirs: Box): void {
  const shiftX = theirs.x + theirs.width / 2 - (ours.x + ours.width / 2);
  const shiftY = theirs.y + theirs.height / 2 - (ours.y + ours.height / 2);
  ok(Math.hypot(shiftX, shiftY) < ours.width / 4, 'engine and peer must find the same face');
}

/** Human must have found the same one face as ours, and all that a verification needs. */
export function checkHuman(faces: readonly HumanFace[], ours: Box): void {
  const [face, ...others] = faces;
  ok(face && others.length === 0 && face.mesh.length >= 468 && face.embedding?.length === 1024);
  ok(typeof face.real === 'number' && typeof face.live === 'number');
  const [x, y, width, height] = face.box;
  checkSameFace(ours, { x, y, width, height });
}

/** A whole frame: one face's analysis, its passive score without the add-on null, and its template. */
export async function wholeFrame(
  { engine, passiveLiveness }: NodeFaceEngine,
  picture: PixelImage,
  options: { readonly mirror: boolean },
) {
  const image = engine.open(picture);
  const [detection] = await engine.detect(image);
  const face = detection && (await engine.analyse(image, detection));
  const score = face ? ((await passiveLiveness?.score(image, face))?.score ?? null) : null;
  const template = face ? await engine.embed(image, face, options) : null;
  image.dispose();
  return { face, score, template };
}

export const frameWidth = 640;
export const frameHeight = 480;

/** A frame of 640×480 with one face, in both sides' formats. */
export interface BenchPhoto {
  readonly what: string;
  /** Format of cameras. */
  readonly rgba: PixelImage;
  /** Format of TensorFlow.js. */
  readonly rgb: Uint8Array;
}

/** The NASA astronaut of scikit-image if it is beside the repository, otherwise a rendered head. */
export async function benchPhoto(): Promise<BenchPhoto> {
  const path = sharedData('data', 'faces', 'scikit-image', 'astronaut.png');
  if (path === null) {
    const rendered = renderHead({ seed: 11, distance: 1.6, width: frameWidth, height: frameHeight });
    return { what: 'a rendered head', rgba: rendered, rgb: withoutAlpha(rendered.data) };
  }
  const data = await sharp(await readFile(path))
    .resize(frameWidth, frameHeight, { fit: 'cover', position: 'top' })
    .ensureAlpha()
    .raw()
    .toBuffer();
  const bytes = new Uint8Array(data);
  const rgba = { data: bytes, width: frameWidth, height: frameHeight, channels: 4 } as const;
  return { what: 'NASA’s astronaut photo from scikit-image', rgba, rgb: withoutAlpha(bytes) };
}

/** RGB of RGBA. */
export function withoutAlpha(rgba: PixelImage['data']): Uint8Array {
  const rgb = new Uint8Array((rgba.length / 4) * 3);
  for (let i = 0, j = 0; i < rgba.length; i += 4, j += 3) rgb.set(rgba.subarray(i, i + 3), j);
  return rgb;
}
