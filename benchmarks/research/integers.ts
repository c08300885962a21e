/** What the integer networks change: beside the float networks that they were made of, on photos and in attempts. */
import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PixelImage } from '@svc/core';
import { type FaceAnalysis, wipeAnalysis } from '@svc/face-engine';
import { roiFromLandmarks } from '@svc/face-engine/testing';
import { addOnNames } from '@svc/face-models/node';
import { floatNetworks, type OpenEngine, openEngineOf } from '../inputs/engine.ts';
import { readPhoto } from '../inputs/read-photo.ts';
import { sharedData } from '../inputs/shared-data.ts';
import { quantile } from '../inputs/summary.ts';
import { withFace } from './first-face.ts';
import { kept } from './kept.ts';
import { type AttemptOutcome, plan } from './liveness/campaign.ts';
import { inProcesses, rendered } from './liveness/evaluate.ts';
import type { Evaluation } from './main.ts';
import { markdownTable } from './markdown.ts';
import { filesBelow } from './recognition/photo-sets.ts';

const faces = ['congress-portraits', 'whitehouse', 'compreface', 'interfaces', 'scikit-image', 'unsplash-proctoring'];
const folders = ['pairs/att-faces', ...faces.map((name) => `faces/${name}`), 'spoof', 'formats'];
/** In place of a folder: rendered attempts, by the engine of the report on liveness. */
const attempts = {
  set: 'attempts',
  choice: { engineId: 'dlib-resnet-128-mirror/2' },
  counts: { live: 8, replays: 2, each: 2 },
};
/** Side of the mesh network's input, pixels. */
const meshSide = 192;

/** What an engine makes of the widest face; null without one. @param square its landmarks give that of `tracked` */
const lookAt = ({ engine, passiveLiveness }: OpenEngine, photo: PixelImage, square?: FaceAnalysis) =>
  withFace(engine, photo, async (found, image) => {
    const templates: Float32Array[] = [];
    for (const { engineId } of engine.recipes) templates.push(await engine.embed(image, found, { engineId }));
    const score = (await passiveLiveness?.score(image, found))?.score ?? null;
    const face = { ...found, landmarks: found.landmarks.slice() };
    return { face, tracked: await engine.track(image, square ?? face), score, templates };
  });

/** Whether both looked at the same of several people. */
const isSame = ({ box: a }: FaceAnalysis, { box: b }: FaceAnalysis): boolean =>
  Math.hypot(a.x - b.x + (a.width - b.width) / 2, a.y - b.y + (a.height - b.height) / 2) < a.width / 4;

/** Of the worst landmark, in pixels of the mesh network's input. @param side of its square, pixels of the photo */
export function worstLandmark(floats: Float32Array, integers: Float32Array, side: number): number {
  const apart = (i: number) => (floats[i] ?? Number.NaN) - (integers[i] ?? Number.NaN);
  const distances = Array.from({ length: floats.length / 3 }, (_, i) => Math.hypot(apart(3 * i), apart(3 * i + 1)));
  return (Math.max(...distances) * meshSide) / side;
}

/** A photo by both: differences and whether there was something to compare, but nothing of a face. */
async function compare(photo: PixelImage, floats: OpenEngine, integers: OpenEngine) {
  const before = await lookAt(floats, photo);
  const now = await lookAt(integers, photo, before?.face);
  const [a, b] = before && now ? [before, now] : [];
  const isOne = a && b && isSame(a.face, b.face);
  const [from, to] = [a?.score ?? null, b?.score ?? null];
  const side = a ? roiFromLandmarks(a.face.landmarks).side : Number.NaN;
  const compared = {
    isFound: [before !== null, now !== null] as const,
    isScored: [from !== null, to !== null] as const,
    sameSquare: a?.tracked && b?.tracked ? worstLandmark(a.tracked.landmarks, b.tracked.landmarks, side) : null,
    ownSquare: isOne ? worstLandmark(a.face.landmarks, b.face.landmarks, side) : null,
    score: from === null || to === null ? null : Math.abs(from - to),
    cosines: isOne ? a.templates.map((own, i) => floats.engine.core.cosine(own, b.templates[i] ?? own)) : [],
  };
  for (const seen of [before, now]) {
    for (const each of seen?.templates ?? []) each.fill(0);
    for (const face of [seen?.face, seen?.tracked]) if (face) wipeAnalysis(face);
  }
  return compared;
}

export type Compared = Awaited<ReturnType<typeof compare>>;

async function compareAll(files: readonly string[], floats: OpenEngine, integers: OpenEngine): Promise<Compared[]> {
  const compared: Compared[] = [];
  for (const file of files) {
    const photo = await readPhoto(file).catch(() => null);
    if (photo === null) continue;
    compared.push(await compare(photo, floats, integers));
    photo.data.fill(0);
  }
  return compared;
}

/** Both, the floats alone, the integers alone. */
const countsOf = (photos: readonly Compared[], what: 'isFound' | 'isScored'): string =>
  ['true,true', 'true,false', 'false,true']
    .map((by) => photos.filter((one) => `${one[what]}` === by).length)
    .join(', ');

/** The median, what one in a hundred exceeds, and the worst. */
function spread<T>(photos: readonly T[], of: (photo: T) => number | null | undefined, shares = [0.5, 0.99, 1]): string {
  const values = photos.map(of).filter((value) => value != null);
  return shares.map((share) => quantile(values, share).toFixed(4)).join(', ');
}

/** Differences over these photos. */
export function rowOf(name: string, photos: readonly Compared[], recipes: readonly unknown[]): string[] {
  const both = photos.filter(({ isFound }) => isFound[0] && isFound[1]);
  const counts = [String(photos.length), countsOf(photos, 'isFound'), countsOf(both, 'isScored')];
  const differences = (['sameSquare', 'ownSquare', 'score'] as const).map((what) => spread(both, (one) => one[what]));
  const cosines = recipes.map((_, i) => spread(both, (one) => one.cosines[i], [0.5, 0.01, 0]));
  return [name, ...counts, ...differences, ...cosines];
}

/** How many attempts end alike by both; null is one of a person who was not enrolled. */
export function endings(floats: readonly (AttemptOutcome | null)[], integers: typeof floats): string {
  const count = (what: 'outcome' | 'reason') =>
    floats.filter((one, i) => one?.verdict[what] === integers[i]?.verdict[what]).length;
  const [verdicts, reasons] = [count('outcome'), count('reason')];
  return `Of ${floats.length} rendered attempts ${reasons} end alike, ${verdicts - reasons} with another reason, ${floats.length - verdicts} with another verdict.`;
}

/**
 * `sets` names folders of the shared data, and `attempts`; `every` takes each nth photo and attempt. A process for each
 * processor shares the work; `keep` names a folder for what was measured, from which an interrupted run resumes.
 */
export const evaluation: Evaluation = {
  options: { sets: [...folders, attempts.set].join(), every: '1', keep: '', share: '' },
  addOns: addOnNames,
  needsAddOns: true,
  async run({ engine, bundle }, options) {
    const { sets = '', every } = options;
    const keep = options.keep || (await mkdtemp(join(tmpdir(), 'svc-integers-')));
    const [own, shares = availableParallelism()] = options.share ? options.share.split('/').map(Number) : [];
    if (own === undefined) await inProcesses('integers', options, keep);
    const taken = (_: unknown, i: number) => i % Number(every) === 0;
    const floats = await openEngineOf(await floatNetworks(), attempts.choice);
    const integers = await openEngineOf(bundle, attempts.choice);
    const photos: [set: string, Compared[]][] = [];
    for (const set of sets.split(',').filter((name) => name !== attempts.set)) {
      const root = sharedData('data', set) ?? '';
      const files = (await filesBelow(root)).filter(taken).map((file) => join(root, file));
      const compared: Compared[] = [];
      for (const share of own === undefined ? Array(shares).keys() : [own]) {
        const shared = files.filter((_, i) => i % shares === share);
        const name = `${set.replace('/', '-')}-${every}-${share}-${shares}`;
        compared.push(...(await kept(keep, name, () => compareAll(shared, floats, integers))));
      }
      photos.push([`\`${set}\``, compared]);
    }
    const planned = sets.includes(attempts.set) ? plan(attempts.counts).filter(taken) : [];
    const made = planned.filter(({ index }) => own === undefined || index % shares === own);
    const before = await rendered(floats, made, join(keep, 'floats'));
    const ended = endings(before, await rendered(integers, made, join(keep, 'integers')));
    for (const each of [floats, integers]) each.close();
    if (!options.keep && own === undefined) await rm(keep, { recursive: true });
    const engines = engine.recipes.map(({ engineId }) => `\`${engineId}\``);
    const head = ['', 'photos', 'found', 'scored', 'same square', 'own square', 'score', ...engines];
    const all = ['all', photos.flatMap(([, compared]) => compared)] as const;
    const rows = [...photos, all].map(([name, compared]) => rowOf(name, compared, engines));
    const about =
      'The widest face, found and scored: by both, by the floats alone, by the integers alone. Differences: of a face’s worst landmark in pixels of 192, from the same square of the photo, and each from that of its own detector; of scores; cosines of a face’s two templates. The median, what one in a hundred exceeds, the worst.';
    const table = photos.length === 0 ? [] : [about, markdownTable([head, ...rows], true)];
    return { markdown: [...table, ended].join('\n\n') };
  },
};
