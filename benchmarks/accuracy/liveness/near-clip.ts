import type { PixelImage } from '@svc/core';
import type { CameraFrame } from '@svc/device-sdk';
import { type Box, type FaceEngine, livenessBox } from '@svc/face-engine';

/**
 * A recording as a camera nearer to the person would have it: a part of each frame in which the face has this room around it. The part is chosen anew
 * where `everyMs` begin, by the face of that frame, and stays there meanwhile, as a camera does. Frames before the first face are left out.
 *
 * @param room how many times the face's box fits into the part, in the tighter direction; 1 or more
 */
export async function* nearFrames(
  engine: FaceEngine,
  frames: AsyncIterable<CameraFrame>,
  room: number,
  everyMs: number,
): AsyncGenerator<CameraFrame> {
  let part: Box | null = null;
  let chosenFor = -1;
  for await (const frame of frames) {
    const span = Math.floor(frame.timestampMs / everyMs);
    if (span !== chosenFor) {
      const face = await faceOf(engine, frame.image);
      if (face !== null) {
        part = partAround(frame.image, face, room);
        chosenFor = span;
      }
    }
    if (part !== null) yield { ...frame, image: cutOut(frame.image, part) };
  }
}

async function faceOf(engine: FaceEngine, pixels: PixelImage): Promise<Box | null> {
  const image = engine.open(pixels);
  try {
    const [detection] = await engine.detect(image);
    return (detection && (await engine.analyse(image, detection))?.box) ?? null;
  } finally {
    image.dispose();
  }
}

/** Of the frame's own proportions, as far about the face as the frame's edges let it, in whole pixels. */
export function partAround(frame: { readonly width: number; readonly height: number }, face: Box, room: number): Box {
  const box = livenessBox(face);
  const shrink = Math.min(1, Math.max((room * box.width + 1) / frame.width, (room * box.height + 1) / frame.height));
  const [width, height] = [Math.round(frame.width * shrink), Math.round(frame.height * shrink)];
  const within = (centre: number, length: number, size: number): number =>
    Math.min(size - length, Math.max(0, Math.round(centre - length / 2)));
  return {
    x: within(box.x + box.width / 2, width, frame.width),
    y: within(box.y + box.height / 2, height, frame.height),
    width,
    height,
  };
}

function cutOut({ data, width, channels }: PixelImage, part: Box): PixelImage {
  const cut = new Uint8Array(part.width * part.height * channels);
  for (let y = 0; y < part.height; y++) {
    const start = ((part.y + y) * width + part.x) * channels;
    cut.set(data.subarray(start, start + part.width * channels), y * part.width * channels);
  }
  return { data: cut, width: part.width, height: part.height, channels };
}
