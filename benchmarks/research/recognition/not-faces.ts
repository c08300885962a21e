import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FaceError } from '@svc/core';
import { type Box, type FaceEngine, wipeAnalysis } from '@svc/face-engine';
import sharp from 'sharp';
import { readPhoto } from '../../inputs/read-photo.ts';
import type { Claim } from '../markdown.ts';
import { progress } from '../progress.ts';
import { filesBelow, type LabelledPhoto, photoSets, readLabels } from './photo-sets.ts';

/** The faces that an engine finds in a photo, in pixels of the processed picture. */
interface SeenFaces {
  /** Of the processed picture. */
  readonly widthPx: number;
  /** Confirmed faces: only these can be embedded. */
  readonly confirmed: readonly Box[];
  /** The face that enrolment embeds; null if it refuses. */
  readonly enrolled: Box | null;
  /** Reason of the refusal. */
  readonly refusal: string | null;
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
    const seen = { widthPx: photo.width, confirmed };
    if (!enrolment.ok) return { ...seen, enrolled: null, refusal: enrolment.reason };
    enrolment.reference.fill(0);
    wipeAnalysis(enrolment.analysis);
    return { ...seen, enrolled: enrolment.analysis.box, refusal: null };
  } finally {
    image.dispose();
  }
}

/** A small person in a large photo. */
const smallPeople = ['001_A.jpg', '003_A.jpg', '008_B.jpg'];
/** The pictures of scikit-image with a face; the second face is in profile and far away. */
export const scikitFaces = ['astronaut.png', 'camera.png'];

/** Whether a labelled nose lies in a box. Labels are in pixels of the stored picture. */
async function noseTest(path: string, { noses }: LabelledPhoto, { widthPx }: SeenFaces) {
  const { width, orientation = 1 } = await sharp(await readFile(path)).metadata();
  if (orientation !== 1) throw new Error('labels of turned pictures are not supported');
  const scale = widthPx / width;
  const within = (at: number, from: number, length: number) => at * scale >= from && at * scale <= from + length;
  return (box: Box) => noses.some(({ x, y }) => within(x, box.x, box.width) && within(y, box.y, box.height));
}

/** Every face found in a labelled photo must contain a labelled nose. */
export async function labelledClaims(engine: FaceEngine, data: string): Promise<Claim[]> {
  const folder = join(data, photoSets.compreface.folder);
  const claims: Claim[] = [];
  let confirmed = 0;
  let wrong = 0;
  for (const label of await readLabels(data)) {
    const path = join(folder, 'labelled', label.file);
    const seen = await seenFaces(engine, path);
    if (seen === null) throw new Error(`${path} could not be read`);
    const { enrolled, refusal } = seen;
    const hasNose = await noseTest(path, label, seen);
    const boxes = [...seen.confirmed, ...(enrolled ? [enrolled] : [])];
    confirmed += boxes.length;
    wrong += boxes.filter((box) => !hasNose(box)).length;
    if (!smallPeople.includes(label.file)) continue;
    const holds = enrolled === null || hasNose(enrolled);
    claims.push({
      claim: `CompreFace \`${label.file}\`: the labelled small face is enrolled, or the photo refused`,
      holds,
      measured: refusal ? `refused: ${refusal}` : holds ? 'found' : 'something else was enrolled',
    });
  }
  claims.push({
    claim: 'CompreFace: every face found has a labelled nose',
    holds: confirmed > 0 && wrong === 0,
    measured: `${confirmed - wrong} of ${confirmed}`,
  });
  return claims;
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
    claim: `${title}: no face found where there is none`,
    holds: readable > 0 && wrong.length === 0,
    measured:
      wrong.length > 0
        ? `wrong: ${wrong.map((file) => `\`${file}\``).join(', ')}`
        : `none in the ${readable} readable files of ${files.length}`,
  };
}

/** An unconfirmed face is never embedded, because false detections may have similar embeddings. */
export async function notFacesClaims(engine: FaceEngine, data: string): Promise<Claim[]> {
  return [
    ...(await labelledClaims(engine, data)),
    await onlyFaces(engine, join(data, photoSets.scikitImage.folder), 'scikit-image', scikitFaces),
    await onlyFaces(engine, join(data, photoSets.formats.folder), 'decoder tests', []),
  ];
}
