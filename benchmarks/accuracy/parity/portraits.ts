import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { PixelImage } from '@svc/core';
import sharp from 'sharp';

/** `count` of the public portraits below the data's `faces` folder, from all over the set; those in colour. */
export async function* portraits(faces: string, count: number): AsyncGenerator<PixelImage> {
  const folder = join(faces, 'congress-portraits', 'images');
  const names = readdirSync(folder).sort();
  for (let i = 0; i < count; i++) {
    const name = names[Math.floor((i * names.length) / count)] ?? '';
    const { data, info } = await sharp(join(folder, name)).removeAlpha().raw().toBuffer({ resolveWithObject: true });
    if (info.channels === 3) yield { data, width: info.width, height: info.height, channels: 3 };
  }
}
