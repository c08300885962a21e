// Writes the range of each map of every network into packages/face-models/src/calibration.json, by which bundles are
// made integer: the greatest magnitude over rendered faces, flat attacks and public photos.
// `npm run record-ranges`, then `npm run format` in the repository. Needs ../shared.
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type FaceCore, loadCore, type PixelImage } from '@svc/core';
import { createNetwork, type NetworkPlan } from '@svc/core/network';
import { meanCounts, planNetwork, readGraph } from '@svc/face-models';
import { floatBundle } from '@svc/face-models/testing';
import { renderHead, renderPrint, renderScreen } from '@svc/synthetic-faces';
import { readPhoto } from '../../inputs/read-photo.ts';
import { sharedData } from '../../inputs/shared-data.ts';
import { openLook } from '../first-face.ts';
import { filesBelow } from '../recognition/photo-sets.ts';

/** A quarter of them has an attack of each kind. */
const seeds = Array.from({ length: 24 }, (_, i) => i + 1);
/** Folders of ../shared/data/faces, and which of their files are taken: every nth. */
const photoFolders = {
  'congress-portraits/images': 12,
  interfaces: 2,
  'compreface/labelled': 1,
  whitehouse: 1,
} as const;

/** What was seen in the maps of a network. */
interface Seen {
  readonly plan: NetworkPlan;
  readonly ranges: Float64Array;
  /** Sums over runs: of each number of a map or, where it has fewer means, of each channel. */
  readonly sums: readonly Float64Array[];
  /** Of what the last layer reads, a sum over every 48th run, from each of the first 48 on. */
  readonly groups: readonly Float64Array[];
  runs: number;
}

/** Notes what is seen in the maps of a network, which it runs with every map as an output. */
function watcherOf(core: FaceCore, bytes: Uint8Array, seen: Map<string, Seen>): (input: Float32Array) => void {
  const graph = readGraph(bytes);
  const plan = graph && planNetwork(graph);
  if (plan === null) throw new TypeError('a network that the core does not compute');
  const outputs = [plan.input, ...plan.layers.map(({ output }) => output)];
  const network = createNetwork(core, { ...plan, outputs });
  const maps = network?.outputLengths.map((length) => new Float32Array(length)) ?? [];
  const hash = createHash('sha256').update(bytes).digest('hex');
  const sums = meanCounts(plan).map((count) => new Float64Array(count));
  const groups = Array.from({ length: 48 }, () => new Float64Array(sums[lastRead(plan)]?.length ?? 0));
  const own = seen.get(hash) ?? { plan, ranges: new Float64Array(sums.length), sums, groups, runs: 0 };
  seen.set(hash, own);
  return (input) => {
    network?.run(input, maps);
    const group = own.groups[own.runs % own.groups.length];
    for (const [i, map] of outputs.entries()) {
      note(maps[i] ?? new Float32Array(), map, own);
      if (map === lastRead(plan))
        group?.forEach((sum, k) => {
          group[k] = sum + (maps[i]?.[k] ?? 0);
        });
    }
    own.runs += 1;
  };
}

function lastRead({ layers }: NetworkPlan): number {
  const last = layers.at(-1);
  return last?.kind === 'convolution' ? last.input : -1;
}

function note(values: Float32Array, map: number, { ranges, sums }: Seen): void {
  const own = sums[map] ?? new Float64Array();
  const repeats = values.length / own.length;
  let range = ranges[map] ?? 0;
  let at = 0;
  for (const value of values) {
    if (Math.abs(value) > range) range = Math.abs(value);
    if (own.length === 0) continue;
    own[at] = (own[at] ?? 0) + value / repeats;
    at = (at + 1) % own.length;
  }
  ranges[map] = range;
}

/** How far the groups are from the mean: directions in which what the last layer reads varies. */
function directionsOf({ plan, sums, groups, runs }: Seen): string {
  const means = sums[lastRead(plan)] ?? [];
  const values = groups.flatMap((group, first) => {
    const share = Math.ceil((runs - first) / groups.length) / runs;
    return Array.from(group, (sum, k) => sum - share * (means[k] ?? 0));
  });
  const most = Math.max(...values.map(Math.abs));
  return Buffer.from(Int8Array.from(values, (value) => Math.round((127 * value) / most)).buffer).toString('base64');
}

/** The range of each map, three digits, rounded up; and the means in their bytes. */
function measuredOf({ ranges, sums, runs }: Seen) {
  const rounded = Array.from(ranges, (range) => Number((range * 1.005).toPrecision(3)));
  const means = sums.flatMap((own, map) =>
    Array.from(own, (sum) => Math.round((127 * sum) / runs / (rounded[map] || 1))),
  );
  return { ranges: rounded, means: Buffer.from(Int8Array.from(means).buffer).toString('base64') };
}

/** People in many poses, lights and sizes, and flat attacks. */
function* renders(): Generator<PixelImage> {
  const frame = { width: 640, height: 480 } as const;
  for (const seed of seeds) {
    const head = {
      ...{ seed, yawDeg: ((seed * 17) % 61) - 30, pitchDeg: ((seed * 7) % 31) - 15, rollDeg: ((seed * 5) % 31) - 15 },
      light: { azimuthDeg: ((seed * 29) % 120) - 60, intensity: 0.4 + ((seed * 11) % 16) / 10 },
      distance: 0.9 + ((seed * 13) % 20) / 10,
    };
    yield renderHead({ ...frame, ...head });
    yield renderHead({ ...frame, seed, distance: 1.25, exposure: 0.6 + (seed % 10) / 10 });
    if (seed % 4 === 0) yield renderPrint({ ...frame, head: { seed, distance: 2.5 }, turnDeg: seed - 24 });
    if (seed % 4 === 2) yield renderScreen({ ...frame, head: { seed, distance: 2.5 }, turnDeg: (seed - 24) / 6 });
  }
}

async function* photos(faces: string): AsyncGenerator<PixelImage> {
  for (const [folder, nth] of Object.entries(photoFolders)) {
    const files = (await filesBelow(join(faces, folder))).filter((file) => /\.(jpe?g|png)$/i.test(file));
    for (const file of files.filter((_, i) => i % nth === 0)) {
      const photo = await readPhoto(join(faces, folder, file)).catch(() => null);
      if (photo !== null) yield photo;
    }
  }
}

const [faces, published] = [sharedData('data', 'faces'), sharedData('models')];
if (faces === null || published === null) throw new Error('needs ../shared');
const [core, bundle] = [await loadCore(), await floatBundle(published)];
const seen = new Map<string, Seen>();
const look = await openLook(core, bundle, (file) => watcherOf(core, file, seen));
// What the golden checks saw is drawn.
for (const own of seen.values()) {
  for (const numbers of [own.ranges, ...own.groups, ...own.sums]) numbers.fill(0);
  own.runs = 0;
}

let [rendered, photographed] = [0, 0];
for (const picture of renders()) {
  await look(picture);
  rendered += 1;
}
for await (const picture of photos(faces)) {
  await look(picture);
  photographed += 1;
}

const file = new URL('../../../packages/face-models/src/calibration.json', import.meta.url);
const recorded = JSON.parse(await readFile(file, 'utf8')) as { readonly networks: Record<string, object> };
const networks = Object.values(bundle.manifest.models).map(({ name, sha256 }) => {
  const [own, before = {}] = [seen.get(sha256), recorded.networks[name]];
  const directions = own && 'directions' in before ? { directions: directionsOf(own) } : {};
  return [name, { ...before, tflite: sha256, ...(own && measuredOf(own)), ...directions }] as const;
});
const inputs = { seeds: seeds.length, rendered, photos: photographed };
await writeFile(file, `${JSON.stringify({ inputs, networks: Object.fromEntries(networks) })}\n`);
