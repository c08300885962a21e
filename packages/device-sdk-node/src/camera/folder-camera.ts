import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FaceError, type PixelImage } from '@svc/core';
import type { Camera, CameraFrame, Prompt, TurnDirection } from '@svc/device-sdk';
import sharp from 'sharp';

/** Larger pictures are rejected: no camera makes them. */
const MAX_PIXELS = 40_000_000;

/** Options of {@link createFolderCamera}. */
export interface FolderCameraOptions {
  /**
   * Contains the frames as JPEG or PNG, ordered by file name, 9 before 10. Other files are ignored. With folders `left`
   * and `right` in it, the visitor answers prompts: its frames are repeated, and while a head turn is asked for those of
   * that direction (the person's own), each time whole. Without a frame in any of them it fails: `image-invalid`.
   */
  readonly directory: string;
  /** Frames per second, above 0. */
  readonly fps: number;
  readonly onPrompt?: (prompt: Prompt) => void;
}

/**
 * A camera that plays a folder of pictures. Frames are decoded one by one and wiped after use.
 * @throws FaceError `invalid-argument`
 */
export function createFolderCamera({ directory, fps, onPrompt }: FolderCameraOptions): Camera {
  if (!(fps > 0) || !Number.isFinite(fps)) throw new FaceError('invalid-argument', 'fps must be above 0');
  let asked: TurnDirection | undefined;
  const open = () => {
    asked = undefined;
    return timed(
      played(directory, () => asked),
      fps,
    );
  };
  return createRecordedCamera(open, {
    onPrompt(prompt) {
      asked = prompt.direction;
      onPrompt?.(prompt);
    },
  });
}

async function* timed(paths: AsyncIterable<string>, fps: number): AsyncGenerator<TimedImage> {
  let i = 0;
  for await (const path of paths) {
    const image = await decode(path);
    yield { image, tMs: (i++ * 1_000) / fps, release: () => image.data.fill(0) };
  }
}

const byName = new Intl.Collator('en', { numeric: true });

async function picturesIn(directory: string): Promise<string[]> {
  const names = (await readdir(directory)).filter((name) => /\.(jpe?g|png)$/i.test(name)).sort(byName.compare);
  if (names.length === 0) throw new FaceError('image-invalid', 'a folder of frames has no JPEG or PNG');
  return names.map((name) => join(directory, name));
}

/** Paths of the frames in the order in which they are shown. */
async function* played(directory: string, asked: () => TurnDirection | undefined): AsyncGenerator<string> {
  const ahead = await picturesIn(directory);
  const [left, right] = ['left', 'right'].map((name) => join(directory, name)).filter(existsSync);
  if (left === undefined || right === undefined) return yield* ahead;
  const turned = { left: await picturesIn(left), right: await picturesIn(right) };
  for (let i = 0; ; i = (i + 1) % ahead.length) {
    const direction = asked();
    if (direction !== undefined) {
      yield* turned[direction];
      i = -1;
    } else yield ahead[i] ?? '';
  }
}

/** @throws FaceError `image-invalid` */
async function decode(path: string): Promise<PixelImage> {
  try {
    // From memory: a program may have forbidden sharp to open files.
    const { data, info } = await sharp(await readFile(path), { limitInputPixels: MAX_PIXELS, failOn: 'error' })
      .autoOrient()
      .toColourspace('srgb')
      .removeAlpha()
      .raw()
      .toBuffer({ resolveWithObject: true });
    if (info.channels !== 3) throw new Error('not RGB');
    return { data, width: info.width, height: info.height, channels: 3 };
  } catch (cause) {
    throw new FaceError('image-invalid', 'a frame could not be decoded', { cause });
  }
}

/** A picture and its time, milliseconds from the first picture of the clip. */
export interface TimedImage {
  readonly image: PixelImage;
  readonly tMs: number;
  /** See `CameraFrame`. */
  readonly release?: () => void;
}

/**
 * A camera over existing frames: rendered, decoded, or from another camera. Each is given as fast as the one before it is
 * processed, with its own time.
 * @param open starts again from the first frame for each attempt
 */
export function createRecordedCamera(
  open: () => Iterable<TimedImage> | AsyncIterable<TimedImage>,
  { onPrompt = () => undefined }: { readonly onPrompt?: (prompt: Prompt) => void } = {},
): Camera {
  return {
    timing: 'recorded',
    prompt: onPrompt,
    async *frames(signal): AsyncGenerator<CameraFrame> {
      for await (const { tMs, ...frame } of open()) {
        if (signal.aborted) {
          frame.release?.();
          return;
        }
        yield { ...frame, timestampMs: tMs };
      }
    },
  };
}
