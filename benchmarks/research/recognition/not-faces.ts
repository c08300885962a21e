import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FaceError, type PixelImage } from '@svc/core';
import { type Box, type FaceEngine, type Point, wipeAnalysis } from '@svc/face-engine';
import sharp from 'sharp';
import { readPhoto } from '../../inputs/read-photo.ts';
import type { Claim } from '../markdown.ts';
import { progress } from '../progress.ts';
import { filesBelow, type LabelledPhoto, photoSets, readLabels, type Section } from './photo-sets.ts';

/** The faces that an engine finds in a photo, in pixels of the stored picture. */
interface SeenFaces {
  /** Confirmed faces: only these can be embedded. */
  readonly confirmed: readonly Box[];
  /** The face that enrolment embeds; null if it refuses. */
  readonly enrolled: Box | null;
  /** Reason of the refusal. */
  readonly refusal: string | null;
}

/** Stored pixels per processed pixel. Does not support pictures stored with a rotation. */
async function storedScale(path: string, photo: PixelImage): Promise<number> {
  const { width, orientation = 1 } = await sharp(await readFile(path)).metadata();
  if (orientation !== 1) throw new Error('labels of turned pictures are not supported');
  return width / photo.width;
}

/** Null if the file is not a readable photo. */
async function seenFaces(engine: FaceEngine, path: string): Promise<SeenFaces | null> {
  const photo = await readPhoto(path).catch((error: unknown) => {
    if (FaceError.is(error)) return null;
    throw error;
  });
  if (!photo) return null;
  const image = engine.open(photo);
  try {
    const confirmed: Box[] = [];
    for (const detection of await engine.detect(image)) {
      const face = await engine.analyse(image, detection);
      if (face) confirmed.push(face.box);
      if (face) wipeAnalysis(face);
    }
    const enrolment = await engine.enrol(photo);
    if (!enrolment.ok) return { confirmed, enrolled: null, refusal: enrolment.reason };
    enrolment.reference.fill(0);
    wipeAnalysis(enrolment.analysis);
    return { confirmed, enrolled: enrolment.analysis.box, refusal: null };
  } finally {
    image.dispose();
  }
}

/** The same in stored pixels, for labelled sets. */
async function seenInStoredPixels(engine: FaceEngine, path: string): Promise<SeenFaces | null> {
  const seen = await seenFaces(engine, path);
  if (!seen) return null;
  const photo = await readPhoto(path);
  const scale = await storedScale(path, photo);
  const scaled = ({ x, y, width, height }: Box): Box => ({
    x: x * scale,
    y: y * scale,
    width: width * scale,
    height: height * scale,
  });
  return { ...seen, confirmed: seen.confirmed.map(scaled), enrolled: seen.enrolled && scaled(seen.enrolled) };
}

const contains = (box: Box, point: Point): boolean =>
  point.x >= box.x && point.x <= box.x + box.width && point.y >= box.y && point.y <= box.y + box.height;

/** A small person in a large photo. */
const smallPeople = ['001_A.jpg', '003_A.jpg', '008_B.jpg'];
/** The pictures of scikit-image with a face; the second face is in profile and far away. */
export const scikitFaces = ['astronaut.png', 'camera.png'];

const isFace = (label: LabelledPhoto) => (box: SeenFaces['confirmed'][number]) =>
  label.noses.some((nose) => contains(box, nose));

function smallPersonClaim(file: string, label: LabelledPhoto, seen: SeenFaces | null): Claim {
  const claim = `\`${file}\`: the small person is found with the labelled nose inside the face, or refused`;
  if (!seen) return { claim, holds: false, measured: 'could not be read' };
  const { enrolled, refusal } = seen;
  if (enrolled)
    return {
      claim,
      holds: isFace(label)(enrolled),
      measured: isFace(label)(enrolled) ? 'found' : 'something else was enrolled',
    };
  return { claim, holds: true, measured: `refused: ${refusal}` };
}

/** Every face found in a labelled photo must contain a labelled nose. */
export async function labelledClaims(engine: FaceEngine, data: string): Promise<{ claims: Claim[]; rows: string[] }> {
  const folder = join(data, photoSets.compreface.folder);
  const claims: Claim[] = [];
  const rows: string[] = [];
  let confirmed = 0;
  let wrong = 0;
  for (const label of await readLabels(data)) {
    const seen = await seenInStoredPixels(engine, join(folder, 'labelled', label.file));
    const boxes = [...(seen?.confirmed ?? []), ...(seen?.enrolled ? [seen.enrolled] : [])];
    confirmed += boxes.length;
    wrong += boxes.filter((box) => !isFace(label)(box)).length;
    rows.push(
      `- \`${label.file}\`, ${label.noses.length} ${label.noses.length === 1 ? 'face' : 'faces'}: ${seen?.refusal ? `refused, ${seen.refusal}` : 'enrolled'}`,
    );
    if (smallPeople.includes(label.file)) claims.push(smallPersonClaim(label.file, label, seen));
  }
  claims.push({
    claim: 'CompreFace: whatever is taken for a face has a labelled nose inside',
    holds: confirmed > 0 && wrong === 0,
    measured: `${confirmed - wrong} of ${confirmed} confirmed faces`,
  });
  return { claims, rows };
}

/** Claims that only the named files of a set contain a confirmed face or can be enrolled. */
export async function onlyFaces(
  engine: FaceEngine,
  folder: string,
  title: string,
  faces: readonly string[],
): Promise<Claim> {
  const files = await filesBelow(folder);
  const bar = progress(title, files.length);
  const wrong: string[] = [];
  let readable = 0;
  for (const file of files) {
    const seen = await seenFaces(engine, join(folder, file));
    bar.step();
    if (!seen) continue;
    readable += 1;
    if (!faces.includes(file) && (seen.confirmed.length > 0 || seen.enrolled)) wrong.push(file);
  }
  bar.done();
  return {
    claim: `${title}: nothing that is not a face is taken for one`,
    holds: readable > 0 && wrong.length === 0,
    measured:
      wrong.length > 0
        ? `wrong: ${wrong.map((file) => `\`${file}\``).join(', ')}`
        : `none of ${readable} readable pictures (${files.length} files)`,
  };
}

/** An unconfirmed face is never embedded, because false detections may have similar embeddings. */
export async function notFacesSection(engine: FaceEngine, data: string): Promise<Section> {
  const labelled = await labelledClaims(engine, data);
  const scikit = await onlyFaces(engine, join(data, photoSets.scikitImage.folder), 'scikit-image', scikitFaces);
  const formats = await onlyFaces(engine, join(data, photoSets.formats.folder), 'Decoder test pictures', []);
  return {
    claims: [...labelled.claims, scikit, formats],
    markdown: [
      '## What is not a face',
      '',
      'A detection counts as a face only when the mesh agrees. These sets hold pictures without faces, with several, and with very small ones.',
      '',
      ...labelled.rows,
    ].join('\n'),
  };
}
