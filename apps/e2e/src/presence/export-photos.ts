import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { basename, extname, join } from 'node:path';
import type { FaceEngine } from '@svc/face-engine';
import sharp from 'sharp';
import { decodePhoto } from '../engine/decode.ts';
import { type AllowedPicture, allowedPath, allowedPictures } from './allowed-pictures.ts';
import { type FoundFace, findFaces } from './find-faces.ts';
import { People } from './people.ts';
import type { Exclusions, SourcePicture } from './sources-index.ts';

/** Neighbouring frames of a clip show the same; GIFs come at some 12 a second. */
const everyNthPage = 6;

interface Page {
  readonly picture: AllowedPicture;
  readonly path: string;
  readonly page: number;
  readonly file: string;
}

/** Every picture once, clips as some of their frames. */
async function* pagesOf(data: string, exclusions: Exclusions): AsyncGenerator<Page> {
  const seen = new Set<string>();
  for (const picture of allowedPictures(data)) {
    const path = allowedPath(data, picture.path);
    const hash = createHash('sha256').update(readFileSync(path)).digest('hex');
    if (seen.has(hash)) {
      exclusions.add(picture.source, 'same file again');
      continue;
    }
    seen.add(hash);
    const stem = basename(path, extname(path));
    const { pages = 1 } = await sharp(path).metadata();
    for (let page = 0; page < pages; page += everyNthPage) {
      const name = pages === 1 ? stem : `${stem}-${String(page).padStart(3, '0')}`;
      yield { picture, path, page, file: `photos/${picture.source}/${name}.png` };
    }
  }
}

/**
 * Photographs with a face that training can use, written without loss, every face an entry.
 *
 * @param data folder of the test data
 * @param folder with a folder `photos` and one a source in it
 */
export async function exportPhotos(
  engine: FaceEngine,
  data: string,
  folder: string,
  exclusions: Exclusions,
): Promise<readonly SourcePicture[]> {
  const people = new People(engine.matchThreshold, (a, b) => engine.core.cosine(a, b));
  const pictures: SourcePicture[] = [];
  for await (const { picture, path, page, file } of pagesOf(data, exclusions)) {
    const { source } = picture;
    const photo = await decodePhoto(path, page);
    const found = await findFaces(engine, photo, true);
    exclusions.addAll(source, found.excluded);
    const entries = found.faces.map((face, i): SourcePicture => {
      const { template, ...rest } = face;
      // A label says who the one that the picture is of is: the largest.
      const label = i === 0 ? picture.identity : null;
      const identity = people.nameOf(templateOf(template), label, source);
      template?.fill(0);
      const { width, height } = photo;
      return { file, kind: 'photo', source, identity, recording: picture.path, width, height, ...rest };
    });
    if (entries.length > 0) {
      const { width, height, channels } = photo;
      await sharp(photo.data, { raw: { width, height, channels } }).png().toFile(join(folder, file));
    }
    photo.data.fill(0);
    pictures.push(...entries);
  }
  people.forget();
  return pictures;
}

function templateOf(template: FoundFace['template']): Float32Array {
  if (template === null) throw new Error('the faces were found without templates');
  return template;
}
