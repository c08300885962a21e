import { probeWeight } from '@svc/device-sdk/evaluation';
import { AutoCamera, naturalSway, opticsOf, renderLitHead, traitsOf, type Worn } from '@svc/synthetic-faces';
import type { OpenEngine } from '../../inputs/engine.ts';
import { withFace } from '../first-face.ts';
import { SeededDraws } from '../light/seeded-draws.ts';
import { attempts, type Look, type Looks, turnedDeg, type Visit } from './visit.ts';

/** As varied as real people; the published identities vary more. */
const spread = 1;
const size = { width: 480, height: 360 } as const;

const bare: Worn = { glasses: 'none', headwear: 'none' };
const glasses: Worn = { ...bare, glasses: 'rectangle' };
/** A lit entrance, and a street at night. */
const [litLux, darkLux] = [150, 5];

/** Photo and door by what is worn, and the door's light in lux. */
export const conditions: readonly {
  readonly name: string;
  readonly photos: Worn;
  readonly door: Worn;
  readonly lux: number;
}[] = [
  { name: 'as in the photos', photos: bare, door: bare, lux: litLux },
  { name: 'glasses put on', photos: bare, door: glasses, lux: litLux },
  { name: 'glasses taken off', photos: glasses, door: bare, lux: litLux },
  { name: 'glasses both times', photos: glasses, door: glasses, lux: litLux },
  { name: 'a knitted cap', photos: bare, door: { ...bare, headwear: 'beanie' }, lux: litLux },
  { name: `low light (${darkLux} lux)`, photos: bare, door: bare, lux: darkLux },
  { name: 'a mask over nose and mouth', photos: bare, door: { ...bare, mask: true }, lux: litLux },
];

/** Photos that a guest sends: the first looks ahead, the others a little aside in other light. */
const photoShots = [
  { light: {} },
  { yawDeg: 12, light: { azimuthDeg: -45, colourTemperature: 3500 } },
  { yawDeg: -12, pitchDeg: 6, light: { azimuthDeg: 40, elevationDeg: 55, colourTemperature: 6500 } },
] as const;
export const photoCounts = [1, 2, 3] as const;

export const skins = ['light skin', 'medium skin', 'dark skin'] as const;
export const ages = ['18 to 34 years', '35 to 54 years', '55 to 80 years'] as const;

/** `each` people of every skin and age, as `[skin, age]` by seed. @param from first seed */
export function guests(each: number, from: number): ReadonlyMap<number, readonly string[]> {
  const found = new Map<number, readonly string[]>();
  for (let seed = from; found.size < each * skins.length * ages.length; seed++) {
    const { skin, ageYears } = traitsOf(seed, spread);
    const group = [
      skins[Math.min(2, Math.floor(skin.tone * 3))] ?? '',
      ages[ageYears < 35 ? 0 : ageYears < 55 ? 1 : 2],
    ];
    if ([...found.values()].filter((other) => `${other}` === `${group}`).length < each) found.set(seed, group);
  }
  return found;
}

/** The i-th guest enrols with one, two and three photos, and comes in every condition; the masked count in no group. */
export async function visitsOf(node: OpenEngine, seed: number, i: number, groups: readonly string[]): Promise<Visit[]> {
  const visits: Visit[] = [];
  const enrolled = new Map<Worn, ReturnType<typeof enrolledPhotos>>();
  const doors = new Map<string, (attempt: number) => Looks>();
  for (const { name, photos: worn, door, lux } of conditions) {
    const shots = enrolled.get(worn) ?? enrolledPhotos(node, seed, worn);
    enrolled.set(worn, shots);
    const looks = doors.get(JSON.stringify([door, lux])) ?? doorLooks(node, seed, door, lux);
    doors.set(JSON.stringify([door, lux]), looks);
    for (const recipe of node.engine.recipes) {
      const templates = (await shots).map((shot) => shot[recipe.engineId] ?? null);
      for (const photos of photoCounts) {
        const ends = await attempts({ ...recipe, core: node.engine.core }, templates.slice(0, photos), looks);
        const labels = [name, ...(door.mask === true ? [] : groups)];
        visits.push({ labels, people: [i, i], engineId: recipe.engineId, photos, ends });
      }
    }
  }
  return visits;
}

type Drawn = Omit<Parameters<typeof renderLitHead>[0], 'panel' | 'spread' | keyof typeof size>;

/** @param camera which one */
function take(head: Drawn, ambientLux: number, camera: number, noiseSeed: number) {
  const scene = renderLitHead({ ...size, ...head, spread, panel: null });
  const light = { ambientLux, ambientColour: [1, 1, 1], screen: [0, 0, 0] } as const;
  const taking = new AutoCamera({ seed: camera, noiseSeed, optics: opticsOf(camera) });
  taking.settle(scene, light);
  return taking.take(scene, light, 0);
}

/** Each photo's templates by engine; null where it was refused. */
async function enrolledPhotos({ engine }: OpenEngine, seed: number, wears: Worn) {
  const shots: Record<string, Float32Array | null>[] = [];
  const camera = seed + 500_000;
  for (const [i, shot] of photoShots.entries()) {
    const photo = take({ ...shot, seed, wears, distance: 1.1, background: { seed: 1 + i } }, 300, camera, camera + i);
    const templates: Record<string, Float32Array | null> = {};
    for (const { engineId } of engine.recipes) {
      const enrolled = await engine.enrol(photo, { engineId });
      templates[engineId] = enrolled.ok ? enrolled.reference : null;
    }
    shots.push(templates);
  }
  return shots;
}

/** The person before the door's camera, drawn when a comparison asks for a frame. */
function doorLooks(node: OpenEngine, seed: number, wears: Worn, lux: number): (attempt: number) => Looks {
  const draws = new SeededDraws(`door ${seed}`);
  const light = { azimuthDeg: draws.between(-60, 60), elevationDeg: draws.between(15, 75) };
  const common = { seed, wears, light, background: { seed: 10 + Math.floor(draws.fixed * 30) } };
  const sway = naturalSway(seed);
  const seen = new Map<number, Promise<Look | null>>();
  const beginsMs = { front: 1_200, turned: 7_000, back: 8_000 } as const;
  return (attempt) => (stage, i) => {
    const atMs = 20_000 * attempt + beginsMs[stage] + 300 * i;
    const swayed = sway(atMs);
    const turn = stage === 'turned' ? (turnedDeg[i] ?? 0) * (seed % 2 === 0 ? 1 : -1) : 0;
    const stance = { yawDeg: turn + (swayed.yawDeg ?? 0), distance: attempt === 0 ? 1.35 : 1.45 };
    const known = seen.get(atMs) ?? lookAt(node, take({ ...common, ...swayed, ...stance }, lux, seed, seed + atMs));
    seen.set(atMs, known);
    return known;
  };
}

/** What the device compares of a frame. */
const lookAt = ({ engine, passiveLiveness }: OpenEngine, picture: ReturnType<typeof take>): Promise<Look | null> =>
  withFace(engine, picture, async (face, image) => {
    if ((await passiveLiveness?.score(image, face)) === null) return null;
    const templates: Record<string, Float32Array> = {};
    for (const { engineId } of engine.recipes) templates[engineId] = await engine.embed(image, face, { engineId });
    return { templates, weight: probeWeight(face) };
  });
