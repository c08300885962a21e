import { LOGO_BOX_PX, MAX_LOGO_BYTES } from '@svc/protocol';
import sharp, { type PngOptions, type ResizeOptions } from 'sharp';
import { readPicture } from './decode-photo.ts';
import type { UnreadableImage } from './port.ts';

const PALETTE: PngOptions = { palette: true, compressionLevel: 9 };
/** Tried in order. The last always fits: a byte a pixel, even if nothing of it can be compressed. */
const ATTEMPTS: readonly { readonly box: ResizeOptions; readonly png: PngOptions }[] = [
  { box: LOGO_BOX_PX, png: { compressionLevel: 9, adaptiveFiltering: true } },
  { box: LOGO_BOX_PX, png: PALETTE },
  { box: { width: LOGO_BOX_PX.width / 2, height: LOGO_BOX_PX.height / 2 }, png: PALETTE },
];

/**
 * Draws an organiser's logo anew from its pixels: an upright PNG in sRGB with its transparency, scaled down into the box
 * of logos. Nothing else of the file is left: no metadata, no profile, no bytes of another format.
 */
export const drawLogo = (image: Uint8Array): Promise<Uint8Array | UnreadableImage> =>
  readPicture<Uint8Array>(image, async (picture) => {
    const { data, info } = await picture
      .resize({ ...LOGO_BOX_PX, fit: 'inside', withoutEnlargement: true })
      .toColourspace('srgb')
      .raw({ depth: 'uchar' })
      .toBuffer({ resolveWithObject: true });
    const { width, height, channels } = info;
    for (const { box, png } of ATTEMPTS) {
      const drawn = await sharp(data, { raw: { width, height, channels } })
        .resize({ ...box, fit: 'inside', withoutEnlargement: true })
        .png(png)
        .toBuffer();
      if (drawn.length <= MAX_LOGO_BYTES) return drawn;
    }
    throw new Error('the last attempt always fits');
  });
