import { identitySeed, renderHead } from '@svc/synthetic-faces';
import sharp from 'sharp';

const rendered = { width: 640, height: 480 };
const sent = { width: 1280, height: 960 };

/** Portraits as phones send them, each of another person: JPEG, 1280×960, about 300 KB. */
export async function portraits(count: number): Promise<Uint8Array<ArrayBuffer>[]> {
  const photos: Uint8Array<ArrayBuffer>[] = [];
  for (let i = 0; i < count; i += 1) {
    const { data, width, height } = renderHead({ seed: identitySeed(i), ...rendered });
    const picture = sharp(data, { raw: { width, height, channels: 4 } })
      .removeAlpha()
      .resize(sent);
    photos.push(Uint8Array.from(await picture.jpeg({ quality: 94 }).toBuffer()));
  }
  return photos;
}
