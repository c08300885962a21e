import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { PixelImage } from '@svc/core';
import { type FaceEngine, livenessBox, wipeAnalysis } from '@svc/face-engine';
import { createNodeFaceEngine } from '@svc/face-engine/node';
import { goldenInput } from '@svc/face-models';
import { renderHead } from '@svc/synthetic-faces';
import sharp from 'sharp';
import { decodePhoto } from '../../inputs/decode-photo.ts';
import { firstTrainedSeed, framesOf, ignoredFolder, miniFasNetGoldens, surroundingsOf } from './export-plan.ts';
import { type ListedPicture, leastInterEyePx, mostFacesOfPicture } from './held-out-faces.ts';

/**
 * Exports training data of the passive-liveness model: faces of a folder of pictures, found by the device's own engine,
 * each with as much of its surroundings as a crop can show; and pictures without a face.
 *
 * The folder holds pictures of real people. It must lie outside of git or be ignored by it, and must not be kept or
 * passed on.
 *
 *     FOLDER/faces/NNNNN.jpg      a face and its surroundings
 *     FOLDER/nobody/NNNNN.jpg     a picture without a face
 *     FOLDER/index.json           source and group of each; for faces also box and 468 points in pixels
 *     FOLDER/golden.json          MiniFASNet's results for a drawn picture, to check its copy in the training
 *
 * Pictures are read in the order of their index; existing results are reused.
 *
 * Usage: export-faces.ts --pictures FOLDER --out FOLDER [--people 60] [--widest 120] [--quality 95]
 */
const { values } = parseArgs({
  options: {
    /** Folder that `python3 -m presence collect` wrote. */
    pictures: { type: 'string' },
    out: { type: 'string' },
    /** Rendered people besides. */
    people: { type: 'string', default: '60' },
    /** Width of a face's box in its file, pixels, at most: the widest crop shows it at 20, the narrowest at 62. */
    widest: { type: 'string', default: '120' },
    /** Of the JPEG files, 1..100. */
    quality: { type: 'string', default: '95' },
  },
});
if (values.pictures === undefined || values.out === undefined) throw new RangeError('--pictures and --out: folders');
const counts = { people: countOf('people'), widest: countOf('widest'), quality: countOf('quality') };

/** @throws RangeError for what is no count */
function countOf(option: 'people' | 'widest' | 'quality'): number {
  if (!/^\d{1,5}$/.test(values[option])) throw new RangeError(`--${option}: a whole number`);
  return Number(values[option]);
}

/** Longer side of a picture without a face. */
const nobodySide = 4 * counts.widest;

interface ExportedPicture {
  readonly file: string;
  readonly source: string;
  /** Whoever is seen in one group is in one part of the split. */
  readonly group: string;
}
interface ExportedFace extends ExportedPicture {
  /** x, y, width, height of the liveness box; may reach beyond the file. */
  readonly box: readonly number[];
  readonly landmarks: readonly (readonly number[])[];
}
interface Index {
  /** Pictures that were looked at. */
  readonly done: string[];
  readonly faces: ExportedFace[];
  readonly nobody: ExportedPicture[];
}

const folder = ignoredFolder(values.out);
for (const name of ['faces', 'nobody']) await mkdir(join(folder, name), { recursive: true });
const index = join(folder, 'index.json');
const had = await readFile(index, 'utf8').then(
  (text) => JSON.parse(text) as Index,
  (): Index => ({ done: [], faces: [], nobody: [] }),
);
const done = new Set(had.done);
const { faces, nobody } = had;

/** The index whole or not at all. */
async function write(): Promise<void> {
  await writeFile(`${index}.part`, `${JSON.stringify({ done: [...done], faces, nobody })}\n`);
  await rename(`${index}.part`, index);
}

async function writeGoldens(): Promise<void> {
  const told = Object.entries(miniFasNetGoldens()).map(([name, { entry, probabilities }]) => {
    // Whole bytes, as the picture is drawn.
    const rgb = Buffer.from(Uint8Array.from(goldenInput(entry))).toString('base64');
    return [name, { rgb, probabilities }] as const;
  });
  await writeFile(join(folder, 'golden.json'), `${JSON.stringify(Object.fromEntries(told))}\n`);
}

const nameOf = (kind: string, number: number): string => `${kind}/${String(number).padStart(5, '0')}.jpg`;

async function exportNobody({ data, width, height, channels }: PixelImage, source: string, group: string) {
  const file = nameOf('nobody', nobody.length);
  await sharp(data, { raw: { width, height, channels } })
    .resize({ width: nobodySide, height: nobodySide, fit: 'inside', withoutEnlargement: true })
    .jpeg({ quality: counts.quality })
    .toFile(join(folder, file));
  nobody.push({ file, source, group });
}

async function exportPicture(engine: FaceEngine, picture: PixelImage, source: string, group: string): Promise<void> {
  const { data, width, height, channels } = picture;
  const image = engine.open(picture);
  try {
    const detections = await engine.detect(image);
    if (detections.length === 0 && Math.min(width, height) >= 200) await exportNobody(picture, source, group);
    for (const detection of detections.slice(0, mostFacesOfPicture)) {
      const face = await engine.analyse(image, detection);
      if (face === null) continue;
      const box = livenessBox(face.box);
      const kept = surroundingsOf(picture, box, counts.widest);
      const landmarks = Array.from({ length: face.landmarks.length / 3 }, (_, i) =>
        kept.at(face.landmarks[3 * i] ?? 0, face.landmarks[3 * i + 1] ?? 0),
      );
      const isLargeEnough = face.quality.interEyePx >= leastInterEyePx;
      wipeAnalysis(face);
      if (!isLargeEnough) continue;
      const file = nameOf('faces', faces.length);
      await sharp(data, { raw: { width, height, channels } })
        .extract({ left: kept.left, top: kept.top, width: kept.width, height: kept.height })
        .resize({ width: kept.fileWidth, height: kept.fileHeight, fit: 'fill' })
        .jpeg({ quality: counts.quality, chromaSubsampling: '4:4:4' })
        .toFile(join(folder, file));
      const [x, y] = kept.at(box.x, box.y);
      const [right, bottom] = kept.at(box.x + box.width, box.y + box.height);
      faces.push({ file, source, group, box: [x, y, right - x, bottom - y], landmarks });
    }
  } finally {
    image.dispose();
    data.fill(0);
  }
}

await writeGoldens();
const listed = JSON.parse(await readFile(join(values.pictures, 'index.json'), 'utf8')) as ListedPicture[];
const { engine, runtime } = await createNodeFaceEngine({ addOnDirectory: null });
let unread = 0;
for (const [i, { file, source, group }] of listed.entries()) {
  if (done.has(file)) continue;
  const picture = await decodePhoto(join(values.pictures, file)).catch(() => null);
  if (picture === null) unread += 1;
  else await exportPicture(engine, picture, source, group);
  done.add(file);
  if (i % 100 === 99) {
    await write();
    console.error(`${i + 1} of ${listed.length} pictures: ${faces.length} faces, ${nobody.length} without one`);
  }
}
for (let seed = firstTrainedSeed; seed < firstTrainedSeed + counts.people; seed++) {
  for (const { file, identity, options } of framesOf(seed)) {
    if (done.has(file)) continue;
    await exportPicture(engine, renderHead(options), 'rendered', identity);
    done.add(file);
  }
}
await write();
console.log(`${faces.length} faces, ${nobody.length} pictures without one, ${unread} files that are no pictures`);
engine.dispose();
runtime.dispose();
