import { basename } from 'node:path';
import { FaceError, type PixelImage } from '@svc/core';
import { CliError } from '../cli-error.ts';
import { readPhoto } from '../images/read-photo.ts';

export interface RecordedFrame {
  readonly name: string;
  readonly image: PixelImage;
  /** From the first frame. */
  readonly timestampMs: number;
}

/**
 * Frames one at a time; each one's pixels are wiped when the next is asked for.
 * @param paths photos in the order in which they were taken
 * @throws CliError when one of them cannot be read
 */
export async function* recordedFrames(paths: readonly string[], fps: number): AsyncGenerator<RecordedFrame> {
  for (const [i, path] of paths.entries()) {
    const image = await readPhoto(path).catch((cause: unknown) => {
      if (FaceError.is(cause)) throw new CliError(`${path}: ${cause.message} (${cause.code})`, undefined, { cause });
      throw cause;
    });
    try {
      yield { name: basename(path), image, timestampMs: (i * 1000) / fps };
    } finally {
      image.data.fill(0);
    }
  }
}
