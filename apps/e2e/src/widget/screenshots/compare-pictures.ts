import sharp from 'sharp';

/** What a channel may differ by before one sees it. */
const TOLERANCE = 8;
const FADED = 0.25;

export interface PictureDifference {
  /** Pixels that differ; all of the larger picture where the sizes do. */
  readonly pixels: number;
  /** PNG of the new picture, faded, with what differs in red; null where nothing does. */
  readonly picture: Uint8Array | null;
}

const decode = (png: Uint8Array) => sharp(png).removeAlpha().raw().toBuffer({ resolveWithObject: true });

/** Holds a picture against the one before. */
export async function comparePictures(before: Uint8Array, now: Uint8Array): Promise<PictureDifference> {
  const [a, b] = await Promise.all([decode(before), decode(now)]);
  const { width, height } = b.info;
  if (a.info.width !== width || a.info.height !== height) {
    return { pixels: Math.max(a.info.width * a.info.height, width * height), picture: now };
  }
  const shown = Buffer.alloc(b.data.length);
  let pixels = 0;
  for (let at = 0; at < b.data.length; at += 3) {
    const differs = [0, 1, 2].some((c) => Math.abs((a.data[at + c] ?? 0) - (b.data[at + c] ?? 0)) > TOLERANCE);
    if (differs) pixels += 1;
    for (let c = 0; c < 3; c += 1) {
      const faded = 255 - (255 - (b.data[at + c] ?? 0)) * FADED;
      shown[at + c] = differs ? (c === 0 ? 220 : 0) : faded;
    }
  }
  if (pixels === 0) return { pixels, picture: null };
  return {
    pixels,
    picture: await sharp(shown, { raw: { width, height, channels: 3 } })
      .png()
      .toBuffer(),
  };
}
