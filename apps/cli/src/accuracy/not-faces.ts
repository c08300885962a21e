import { join } from 'node:path';
import type { FaceEngine } from '@svc/face-engine';
import { progress } from '../output.ts';
import { contains, type SeenFaces, seenFaces, seenInStoredPixels } from './confirmed-faces.ts';
import { type Claim, filesBelow, type LabelledPhoto, photoSets, readLabels, type Section } from './photo-sets.ts';

/** A small person in a large photo. */
const smallPeople = ['001_A.jpg', '003_A.jpg', '008_B.jpg'];
/** The pictures of scikit-image that show a face, the second one in profile and far away. */
const scikitFaces = ['astronaut.png', 'camera.png'];

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

/** Whatever the engine takes for a face in a labelled photo must have a labelled nose inside. */
export async function labelledClaims(engine: FaceEngine, data: string): Promise<{ claims: Claim[]; rows: string[] }> {
  const folder = join(data, photoSets.compreface.folder);
  const claims: Claim[] = [];
  const rows: string[] = [];
  let confirmed = 0;
  let wrong = 0;
  for (const label of await readLabels(join(folder, 'labels.csv'))) {
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

/** Claims that of a set's files only the named ones hold a confirmed face or are enrolled. */
async function onlyFaces(engine: FaceEngine, folder: string, title: string, faces: readonly string[]): Promise<Claim> {
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

/** What is not surely a face is never embedded: two false detections would look alike to the embedding. */
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
