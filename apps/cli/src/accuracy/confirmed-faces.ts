import { readFile } from 'node:fs/promises';
import { FaceError, type PixelImage } from '@svc/core';
import { type Box, type FaceEngine, type Point, wipeAnalysis } from '@svc/face-engine';
import sharp from 'sharp';
import { readPhoto } from '../images/read-photo.ts';

/** What an engine takes for a face in a photo, in pixels of the stored picture. */
export interface SeenFaces {
  /** Faces that the engine is sure of: only these can be embedded. */
  readonly confirmed: readonly Box[];
  /** The face that enrolment embeds; null where it refuses. */
  readonly enrolled: Box | null;
  /** Why it refuses. */
  readonly refusal: string | null;
}

/** Stored pixels per processed pixel. A picture that is stored turned would need more than a scale. */
async function storedScale(path: string, photo: PixelImage): Promise<number> {
  const { width, orientation = 1 } = await sharp(await readFile(path)).metadata();
  if (orientation !== 1) throw new Error('labels of turned pictures are not supported');
  return width / photo.width;
}

/** Null where the file is not a readable photo. */
export async function seenFaces(engine: FaceEngine, path: string): Promise<SeenFaces | null> {
  const photo = await readPhoto(path).catch((error: unknown) => {
    if (FaceError.is(error)) return null;
    throw error;
  });
  if (!photo) return null;
  const image = engine.open(photo);
  try {
    const confirmed: Box[] = [];
    for (const detection of await engine.detect(image)) {
      const face = await engine.analyse(image, detection);
      if (face) confirmed.push(face.box);
      if (face) wipeAnalysis(face);
    }
    const enrolment = await engine.enrol(photo);
    if (!enrolment.ok) return { confirmed, enrolled: null, refusal: enrolment.reason };
    enrolment.reference.fill(0);
    wipeAnalysis(enrolment.analysis);
    return { confirmed, enrolled: enrolment.analysis.box, refusal: null };
  } finally {
    image.dispose();
  }
}

/** The same in stored pixels, where a set is labelled. */
export async function seenInStoredPixels(engine: FaceEngine, path: string): Promise<SeenFaces | null> {
  const seen = await seenFaces(engine, path);
  if (!seen) return null;
  const photo = await readPhoto(path);
  const scale = await storedScale(path, photo);
  const scaled = ({ x, y, width, height }: Box): Box => ({
    x: x * scale,
    y: y * scale,
    width: width * scale,
    height: height * scale,
  });
  return { ...seen, confirmed: seen.confirmed.map(scaled), enrolled: seen.enrolled && scaled(seen.enrolled) };
}

export const contains = (box: Box, point: Point): boolean =>
  point.x >= box.x && point.x <= box.x + box.width && point.y >= box.y && point.y <= box.y + box.height;
