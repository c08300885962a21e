import { basename } from 'node:path';
import { readPhoto } from '@svc/benchmarks/inputs/read-photo';
import { FaceError, type PixelImage } from '@svc/core';
import { CliError } from './cli-error.ts';

/** A photo that was named. The caller wipes its pixels. @throws CliError if it cannot be read */
export const readNamedPhoto = (path: string): Promise<PixelImage> =>
  readPhoto(path).catch((cause: unknown) => {
    if (FaceError.is(cause)) throw new CliError(`${path}: ${cause.message} (${cause.code})`, undefined, { cause });
    throw cause;
  });

interface RecordedFrame {
  readonly name: string;
  readonly image: PixelImage;
  /** Milliseconds since the first frame. */
  readonly timestampMs: number;
}

/**
 * Frames one at a time; the pixels of each are wiped when the next is requested.
 * @param paths photos in the order in which they were taken
 * @throws CliError if one of them cannot be read
 */
export async function* recordedFrames(paths: readonly string[], fps: number): AsyncGenerator<RecordedFrame> {
  for (const [i, path] of paths.entries()) {
    const image = await readNamedPhoto(path);
    try {
      yield { name: basename(path), image, timestampMs: (i * 1000) / fps };
    } finally {
      image.data.fill(0);
    }
  }
}
