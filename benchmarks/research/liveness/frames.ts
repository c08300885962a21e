import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { PixelImage } from '@svc/core';
import { livenessContextScale, type PassiveScore } from '@svc/face-engine';
import { AutoCamera, deviceNames, displayLight } from '@svc/synthetic-faces';
import sharp from 'sharp';
import type { OpenEngine } from '../../inputs/engine.ts';
import { sharedData } from '../../inputs/shared-data.ts';
import { quantile } from '../../inputs/summary.ts';
import { withFace } from '../first-face.ts';
import { placeOf, presentationOf } from './campaign.ts';

/** One frame, scored alone. */
export interface ScoredFrame {
  /** `live`, or what shows the face: a device, or a folder of real pictures. */
  readonly what: string;
  readonly isLive: boolean;
  /** Null for real pictures. */
  readonly hold: 'near' | 'far' | null;
  /** Null if it could not be scored or had no face. */
  readonly scored: (PassiveScore & { readonly room: number }) | null;
  /** Of the picture, {@link noiseOf}. */
  readonly noise: number;
}

/**
 * Noise after Immerkær (1996), of blocks of 8 × 8: their lower quartile in place of his mean, so that texture does not
 * count. Grey levels of 255.
 */
async function noiseOf({ data, width, height, channels }: PixelImage): Promise<number> {
  const raw = { width, height, channels };
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.length);
  const grey = await sharp(bytes, { raw }).greyscale().raw().toBuffer();
  const of = (at: number): number => grey[at] ?? 0;
  const noises: number[] = [];
  for (let y = 1; y + 9 < height; y += 8) {
    for (let x = 1; x + 9 < width; x += 8) {
      let sum = 0;
      for (let i = 0; i < 64; i++) {
        const at = (y + (i >> 3)) * width + x + (i & 7);
        const corners = of(at - width - 1) + of(at - width + 1) + of(at + width - 1) + of(at + width + 1);
        sum += Math.abs(corners - 2 * (of(at - 1) + of(at + 1) + of(at - width) + of(at + width)) + 4 * of(at));
      }
      noises.push((sum / 64 / 6) * Math.sqrt(Math.PI / 2));
    }
  }
  return quantile(noises, 0.25);
}

async function scored({ engine, passiveLiveness }: OpenEngine, image: PixelImage) {
  const scores = await withFace(engine, image, async (face, opened) => {
    const found = await passiveLiveness?.score(opened, face);
    return found ? { ...found, room: livenessContextScale(opened, face.box) } : null;
  });
  return { scored: scores, noise: await noiseOf(image) };
}

/** A person and a device, in both places, as the campaign shows them: turned a little, in the middle of an attempt. */
export async function renderedFrames(node: OpenEngine, seed: number, index: number): Promise<ScoredFrame[]> {
  const frames: ScoredFrame[] = [];
  const device = deviceNames[index % deviceNames.length] ?? 'tablet';
  for (const hold of ['near', 'far'] as const) {
    for (const what of ['live', device]) {
      const presentation = what === 'live' ? what : `replay-${device}`;
      const place = placeOf({ presentation, door: 'staffed', place: hold, seed, index });
      const { scene, distance, ambientLux, display } = place;
      const moment = { width: 480, height: 360, seed, spread: 1, noiseSeed: seed, distance, yawDeg: (seed % 13) - 6 };
      const drawn = presentationOf(presentation).draw(moment, scene);
      const light = { ambientLux, ambientColour: [1, 1, 1], screen: displayLight(display, null) } as const;
      const camera = new AutoCamera({ seed, optics: scene.optics });
      camera.settle(drawn, light);
      frames.push({ what, isLive: what === 'live', hold, ...(await scored(node, camera.take(drawn, light, 0))) });
    }
  }
  return frames;
}

/** Public pictures of people, and of screens that show some. */
export async function realFrames(node: OpenEngine): Promise<ScoredFrame[]> {
  const folder = sharedData('data', 'spoof');
  const frames: ScoredFrame[] = [];
  for (const part of folder === null ? [] : ['minivision/images/sample', 'vietmoney/data/test']) {
    for (const name of (await readdir(join(folder ?? '', part))).sort()) {
      // F1 is of a magazine.
      if (name.startsWith('image_F1')) continue;
      const picture = sharp(join(folder ?? '', part, name))
        .rotate()
        .resize({ width: 480, height: 640, fit: 'inside' });
      const { data, info } = await picture.removeAlpha().raw().toBuffer({ resolveWithObject: true });
      const image = { data: new Uint8Array(data), width: info.width, height: info.height, channels: 3 } as const;
      const isLive = /^(true|image_T)/.test(name);
      const what = isLive ? 'real people' : 'real screens';
      frames.push({ what, isLive, hold: null, ...(await scored(node, image)) });
    }
  }
  return frames;
}
