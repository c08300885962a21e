import { readFile, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { decodePhoto, restrictDecoders } from '@svc/api/decode-photo';
import { decodePgm } from '@svc/benchmarks/inputs/decode-photo';
import { FaceError, type PixelImage } from '@svc/core';
import { CliError } from '../cli-error.ts';
import { requireFile } from '../paths.ts';

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

const maxFileBytes = 64 * 2 ** 20;
let restricted = false;

/**
 * Pixels of a photo file, decoded by the API's own decoder and limits, so that the command line measures what the
 * service sees; grey PGM as well. The caller wipes them.
 * @throws FaceError `image-invalid` for anything other than a complete, readable photo
 * @throws CliError if the file does not exist
 */
export async function readPhoto(path: string): Promise<PixelImage> {
  await requireFile(path);
  if ((await stat(path)).size > maxFileBytes) throw new FaceError('image-invalid', 'the file is too large');
  const bytes = await readFile(path).catch((cause: unknown) => {
    throw new CliError(`${path}: cannot be read`, undefined, { cause });
  });
  if (bytes[0] === 0x50 && bytes[1] === 0x35) return decodePgm(bytes);
  if (!restricted) restrictDecoders();
  restricted = true;
  const photo = await decodePhoto(bytes);
  if (!photo) throw new FaceError('image-invalid', 'not a whole, readable JPEG or PNG within the limits');
  return photo;
}
