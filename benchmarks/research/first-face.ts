import type { PixelImage } from '@svc/core';
import { type EngineImage, type FaceAnalysis, type FaceEngine, facesIn, wipeAnalysis } from '@svc/face-engine';

/** Asks `work` about the widest confirmed face of a picture, and wipes its analysis afterwards. Null without a face. */
export async function withFace<T>(
  engine: FaceEngine,
  picture: PixelImage,
  work: (face: FaceAnalysis, image: EngineImage) => T | Promise<T>,
): Promise<T | null> {
  const image = engine.open(picture);
  let faces: readonly FaceAnalysis[] = [];
  try {
    faces = await facesIn(engine, image);
    const [face] = faces;
    return face === undefined ? null : await work(face, image);
  } finally {
    for (const face of faces) wipeAnalysis(face);
    image.dispose();
  }
}
