import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CameraFrame, Prompt } from '@svc/device-sdk';
import { temporaryFolder } from '@svc/durable-fs/testing/folder';
import sharp from 'sharp';
import { beforeEach, describe, expect, it } from 'vitest';
import { createFolderCamera, createRecordedCamera } from './folder-camera.ts';

let directory = '';
beforeEach(() => {
  directory = temporaryFolder();
});

const picture = (r: number, width = 40, height = 20) =>
  sharp({ create: { width, height, channels: 3, background: { r, g: 10, b: 20 } } });

async function all(frames: AsyncIterable<CameraFrame>): Promise<CameraFrame[]> {
  const out: CameraFrame[] = [];
  for await (const frame of frames) out.push(frame);
  return out;
}
const endless = () => new AbortController().signal;

describe('a folder camera', () => {
  it('gives JPEG and PNG in the order of their names, at the rate asked for, and leaves the rest alone', async () => {
    await writeFile(join(directory, '10.png'), await picture(200).png().toBuffer());
    await writeFile(join(directory, '9.jpg'), await picture(100).jpeg({ quality: 100 }).toBuffer());
    await writeFile(join(directory, '011.JPEG'), await picture(50).jpeg().toBuffer());
    await writeFile(join(directory, 'notes.txt'), 'no frame');
    const frames = await all(createFolderCamera({ directory, fps: 10 }).frames(endless()));
    expect(frames.map(({ timestampMs }) => timestampMs)).toEqual([0, 100, 200]);
    for (const [i, red] of [100, 200, 50].entries()) {
      const { image } = frames[i] ?? expect.unreachable();
      expect([image.width, image.height, image.channels, image.data.length]).toEqual([40, 20, 3, 2_400]);
      expect(Math.abs((image.data[0] ?? 0) - red)).toBeLessThanOrEqual(3);
    }
  });

  it('answers the prompt for a head turn with the frames of its direction, whole', async () => {
    const reds = { 'a.png': 10, 'b.png': 20, 'left/a.png': 30, 'left/b.png': 40, 'right/a.png': 50 };
    for (const folder of ['left', 'right']) await mkdir(join(directory, folder));
    for (const [name, red] of Object.entries(reds))
      await writeFile(join(directory, name), await picture(red).png().toBuffer());
    const camera = createFolderCamera({ directory, fps: 10 });
    for (const [direction, turn] of [
      ['left', [30, 40]],
      ['right', [50]],
    ] as const) {
      const seen: (number | undefined)[] = [];
      for await (const { image, timestampMs } of camera.frames(endless())) {
        expect(timestampMs).toBe(seen.length * 100);
        const shown = { progress: 0, remainingMs: 1_000 };
        if (seen.push(image.data[0]) === 3) camera.prompt({ key: 'turn-head', direction, ...shown });
        if (seen.length === 4) camera.prompt({ key: 'look-back', ...shown });
        if (seen.length === 8) break;
      }
      expect(seen).toEqual([10, 20, 10, ...turn, 10, 20, 10, 20].slice(0, 8));
    }
  });

  it.each(['', 'left', 'right'])('fails where “%s” has no picture', async (empty) => {
    for (const folder of ['left', 'right']) await mkdir(join(directory, folder));
    for (const folder of ['', 'left', 'right'].filter((name) => name !== empty))
      await writeFile(join(directory, folder, 'a.png'), await picture(10).png().toBuffer());
    const camera = createFolderCamera({ directory, fps: 10 });
    camera.prompt?.({ key: 'turn-head', direction: 'left', progress: 0, remainingMs: 1_000 });
    const first = camera.frames(endless())[Symbol.asyncIterator]().next();
    await expect(first).rejects.toMatchObject({ code: 'image-invalid' });
  });

  it('wipes a released frame', async () => {
    await writeFile(join(directory, 'a.png'), await picture(200).png().toBuffer());
    const [frame] = await all(createFolderCamera({ directory, fps: 10 }).frames(endless()));
    expect(frame?.image.data.some((value) => value !== 0)).toBe(true);
    frame?.release?.();
    expect(frame?.image.data.every((value) => value === 0)).toBe(true);
  });

  it('turns a picture the way its EXIF says, and drops transparency', async () => {
    const sideways = await picture(1, 40, 20).withMetadata({ orientation: 6 }).jpeg().toBuffer();
    await writeFile(join(directory, 'a.jpg'), sideways);
    await writeFile(join(directory, 'b.png'), await picture(1).ensureAlpha(0.5).png().toBuffer());
    await writeFile(join(directory, 'c.png'), await picture(90).toColourspace('b-w').png().toBuffer());
    const frames = await all(createFolderCamera({ directory, fps: 1 }).frames(endless()));
    expect(frames.map(({ image }) => [image.width, image.height, image.channels])).toEqual([
      [20, 40, 3],
      [40, 20, 3],
      [40, 20, 3],
    ]);
  });

  it('throws for a frame that is not a picture and for a missing folder', async () => {
    await writeFile(join(directory, 'a.jpg'), 'nonsense');
    await expect(all(createFolderCamera({ directory, fps: 1 }).frames(endless()))).rejects.toMatchObject({
      code: 'image-invalid',
    });
    await expect(
      all(createFolderCamera({ directory: join(directory, 'x'), fps: 1 }).frames(endless())),
    ).rejects.toThrow();
  });

  it.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY])('refuses %s frames a second', (fps) => {
    const invalid = expect.objectContaining({ code: 'invalid-argument' });
    expect(() => createFolderCamera({ directory, fps })).toThrowError(invalid);
  });
});

it('a recorded camera passes `release` on, stops on abort, and then releases the next frame itself', async () => {
  const image = { data: new Uint8Array(3), width: 1, height: 1, channels: 3 } as const;
  const released: number[] = [];
  const lent = [0, 1, 2].map((tMs) => ({ image, tMs, release: () => released.push(tMs) }));
  const stop = new AbortController();
  const told: Prompt[] = [];
  const camera = createRecordedCamera(() => lent, { onPrompt: (prompt) => told.push(prompt) });
  const prompt: Prompt = { key: 'look-at-camera', progress: 0, remainingMs: 1_000 };
  camera.prompt?.(prompt);
  expect(told).toEqual([prompt]);
  for await (const frame of camera.frames(stop.signal)) {
    frame.release?.();
    stop.abort();
  }
  expect(released).toEqual([0, 1]);
});
