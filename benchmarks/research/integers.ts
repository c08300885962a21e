/** What the integer networks change: beside the float networks that they were made of, on every photo of the sets. */
import { join } from 'node:path';
import type { PixelImage } from '@svc/core';
import { addOnNames } from '@svc/face-models/node';
import { floatNetworks, type OpenEngine, openEngineOf } from '../inputs/engine.ts';
import { readPhoto } from '../inputs/read-photo.ts';
import { sharedData } from '../inputs/shared-data.ts';
import { quantile } from '../inputs/summary.ts';
import { withFace } from './first-face.ts';
import type { Evaluation } from './main.ts';
import { markdownTable } from './markdown.ts';
import { filesBelow } from './recognition/photo-sets.ts';

const faces = ['congress-portraits', 'whitehouse', 'compreface', 'interfaces', 'scikit-image', 'unsplash-proctoring'];
const folders = ['pairs/att-faces', ...faces.map((name) => `faces/${name}`), 'spoof', 'formats'];
/** Side of the mesh network's input, and of its square in widths of the face. */
const mesh = { side: 192, scale: 1.5 } as const;

/** What an engine makes of the widest face of a photo; null without one. */
const lookAt = ({ engine, passiveLiveness }: OpenEngine, photo: PixelImage) =>
  withFace(engine, photo, async (face, image) => {
    const templates: Float32Array[] = [];
    for (const { engineId } of engine.recipes) templates.push(await engine.embed(image, face, { engineId }));
    const score = (await passiveLiveness?.score(image, face))?.score ?? null;
    return { box: face.box, landmarks: face.landmarks.slice(), score, templates };
  });

type Seen = NonNullable<Awaited<ReturnType<typeof lookAt>>>;

/** Whether both looked at the same of several people. */
const isSame = ({ box: a }: Seen, { box: b }: Seen): boolean =>
  Math.hypot(a.x - b.x + (a.width - b.width) / 2, a.y - b.y + (a.height - b.height) / 2) < a.width / 4;

/** Pixels of the mesh network's input. */
function worstLandmark({ box, landmarks }: Seen, other: Seen): number {
  const apart = (i: number) => (landmarks[i] ?? Number.NaN) - (other.landmarks[i] ?? Number.NaN);
  const distances = Array.from({ length: landmarks.length / 3 }, (_, i) => Math.hypot(apart(3 * i), apart(3 * i + 1)));
  return (Math.max(...distances) * mesh.side) / (mesh.scale * Math.max(box.width, box.height));
}

/** Both, the floats alone, the integers alone. */
const countsOf = (pairs: readonly (readonly [floats: unknown, integers: unknown])[]): string =>
  [
    [true, true],
    [true, false],
    [false, true],
  ]
    .map(([a, b]) => pairs.filter(([floats, integers]) => (floats !== null) === a && (integers !== null) === b).length)
    .join(', ');

/** The worst, and what one in a hundred exceeds. */
const worst = (values: readonly number[], isLeast = false): string =>
  (isLeast ? [0, 0.01] : [1, 0.99]).map((share) => quantile(values, share).toFixed(4)).join(', ');

/** Differences over these photos. */
async function rowOf(files: readonly string[], floats: OpenEngine, integers: OpenEngine): Promise<string[]> {
  const found: [Seen | null, Seen | null][] = [];
  const differences = { landmarks: [] as number[], cosines: floats.engine.recipes.map((): number[] => []) };
  for (const file of files) {
    const photo = await readPhoto(file).catch(() => null);
    if (photo === null) continue;
    const [before, now] = [await lookAt(floats, photo), await lookAt(integers, photo)];
    photo.data.fill(0);
    found.push([before, now]);
    if (before !== null && now !== null && isSame(before, now)) {
      differences.landmarks.push(worstLandmark(before, now));
      for (const [i, cosines] of differences.cosines.entries()) {
        const [a = new Float32Array(), b = new Float32Array()] = [before.templates[i], now.templates[i]];
        cosines.push(floats.engine.core.cosine(a, b));
      }
    }
    for (const seen of [before, now]) for (const each of seen?.templates ?? []) each.fill(0);
    for (const seen of [before, now]) seen?.landmarks.fill(0);
  }
  const both = found.flatMap(([a, b]) => (a && b ? [[a.score, b.score] as const] : []));
  const scores = both.flatMap(([a, b]) => (a === null || b === null ? [] : [Math.abs(a - b)]));
  const counts = [found, both].map((pairs) => countsOf(pairs));
  const [landmarks, score] = [differences.landmarks, scores].map((values) => worst(values));
  const cosines = differences.cosines.map((values) => worst(values, true));
  return [String(found.length), ...counts, landmarks ?? '', score ?? '', ...cosines];
}

/** `sets` names folders of the shared data, `every` takes each nth photo. */
export const evaluation: Evaluation = {
  options: { sets: folders.join(), every: '1' },
  addOns: addOnNames,
  needsAddOns: true,
  async run(integers, { sets = '', every }) {
    const floats = await openEngineOf(await floatNetworks());
    const rows: string[][] = [];
    for (const folder of sets.split(',')) {
      const root = sharedData('data', folder) ?? '';
      const files = (await filesBelow(root)).filter((_, i) => i % Number(every) === 0).map((file) => join(root, file));
      rows.push([`\`${folder}\``, ...(await rowOf(files, floats, integers))]);
    }
    floats.close();
    const engines = integers.engine.recipes.map(({ engineId }) => `\`${engineId}\``);
    const head = ['', 'photos', 'found', 'scored', 'landmarks', 'score', ...engines];
    const about =
      'The widest face, found and scored: by both, by the floats alone, by the integers alone. Differences, of landmarks in pixels of 192, and cosines of a face’s two templates: the worst, and what one in a hundred exceeds.';
    return { markdown: `${about}\n\n${markdownTable([head, ...rows], true)}` };
  },
};
