import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  encodeJpeg,
  encodePng,
  type HeadOptions,
  headTurn,
  identitySeed,
  renderClip,
  renderHead,
  renderScene,
} from '@svc/synthetic-faces';

export const clipFps = 10;
/** The shortest possible attempt. */
export const clipFrames = 26;

/** A folder of rendered photos and frames, without real people. */
export interface RenderedPhotos {
  readonly folder: string;
  /** Two photos of one identity, one of another, two heads in one, none, and a text file named like a photo. */
  readonly person: string;
  readonly personAgain: string;
  readonly other: string;
  readonly two: string;
  readonly nobody: string;
  readonly text: string;
  /** Six identities, one photo each. */
  readonly gallery: string;
  /** The first identity turns the head to the left and back. */
  readonly clip: string;
  remove(): Promise<void>;
}

export async function renderPhotos(): Promise<RenderedPhotos> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-cli-'));
  const size = { width: 480, height: 480 };
  const still = (name: string, head: HeadOptions) => save(name, renderHead({ ...head, ...size }));
  const save = async (name: string, image: Parameters<typeof encodeJpeg>[0]) => {
    const path = join(folder, name);
    await writeFile(path, name.endsWith('.png') ? await encodePng(image) : await encodeJpeg(image));
    return path;
  };
  const text = join(folder, 'text.jpg');
  await writeFile(text, 'not a photo');
  const gallery = join(folder, 'gallery');
  const clip = join(folder, 'clip');
  await mkdir(gallery);
  await mkdir(clip);
  for (let i = 0; i < 6; i++) await still(`gallery/${i}.jpg`, { seed: identitySeed(i) });
  const motion = headTurn('left', { frontalMs: 600, turnMs: 600, holdMs: 200, returnMs: 500, maxYawDeg: 24 });
  const head = { seed: identitySeed(5), distance: 1.6 };
  const frames = renderClip({
    head,
    motion,
    fps: clipFps,
    durationMs: (clipFrames / clipFps) * 1_000,
    width: 640,
    height: 480,
  });
  let index = 0;
  for (const frame of frames) await save(`clip/frame${index++}.jpg`, frame);
  return {
    folder,
    text,
    gallery,
    clip,
    person: await still('person.jpg', { seed: identitySeed(5) }),
    personAgain: await still('person-again.png', { seed: identitySeed(5), yawDeg: 8, noiseSeed: 2 }),
    other: await still('other.jpg', { seed: identitySeed(1) }),
    two: await save(
      'two.jpg',
      renderScene({
        ...size,
        heads: [0.3, 0.7].map((centreX, i) => ({ seed: identitySeed(i), centreX, distance: 1.8 })),
      }),
    ),
    nobody: await save('nobody.jpg', renderScene({ ...size, heads: [] })),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
