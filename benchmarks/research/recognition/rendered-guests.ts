import { probeWeight } from '@svc/device-sdk/evaluation';
import {
  AutoCamera,
  naturalSway,
  opticsOf,
  type RenderedImage,
  renderLitHead,
  traitsOf,
  type Worn,
} from '@svc/synthetic-faces';
import type { OpenEngine } from '../../inputs/engine.ts';
import { withFace } from '../first-face.ts';
import { SeededDraws } from '../light/seeded-draws.ts';
import { attempts, type Look, type Looks, turnedDeg, type VisitEnd } from './visit.ts';

/** As varied as real people; the published identities vary more. */
const spread = 1;
const size = { width: 480, height: 360 } as const;
const bare: Worn = { glasses: 'none', headwear: 'none' };
const glasses: Worn = { ...bare, glasses: 'rectangle' };
/** A lit entrance, and a street at night. */
const lux = { lit: 150, dim: 5 } as const;

/** What is worn in the photos and at the door, and the door's light. */
export const conditions = [
  { name: 'as in the photos', photos: bare, door: bare, light: 'lit' },
  { name: 'glasses put on', photos: bare, door: glasses, light: 'lit' },
  { name: 'glasses taken off', photos: glasses, door: bare, light: 'lit' },
  { name: 'glasses both times', photos: glasses, door: glasses, light: 'lit' },
  { name: 'a knitted cap', photos: bare, door: { ...bare, headwear: 'beanie' }, light: 'lit' },
  { name: `low light (${lux.dim} lux)`, photos: bare, door: bare, light: 'dim' },
  { name: 'a mask over nose and mouth', photos: bare, door: { ...bare, mask: true }, light: 'lit' },
] as const satisfies readonly { name: string; photos: Worn; door: Worn; light: keyof typeof lux }[];

/** Photos that a guest sends: the first looks ahead, the others a little aside in other light. */
const photoShots = [
  { light: {} },
  { yawDeg: 12, light: { azimuthDeg: -45, colourTemperature: 3500 } },
  { yawDeg: -12, pitchDeg: 6, light: { azimuthDeg: 40, elevationDeg: 55, colourTemperature: 6500 } },
] as const;
export const photoCounts = [1, 2, 3] as const;

export const skins = ['light skin', 'medium skin', 'dark skin'] as const;
export const ages = ['18 to 34 years', '35 to 54 years', '55 to 80 years'] as const;

export interface Guest {
  readonly seed: number;
  readonly skin: string;
  readonly age: string;
}

/** `each` people of every skin and age. @param from first seed */
export function guests(each: number, from: number): readonly Guest[] {
  const found: Guest[] = [];
  for (let seed = from; found.length < each * skins.length * ages.length; seed++) {
    const { skin, ageYears } = traitsOf(seed, spread);
    const own = skins[Math.min(2, Math.floor(skin.tone * 3))] ?? skins[0];
    const age = ages[ageYears < 35 ? 0 : ageYears < 55 ? 1 : 2];
    if (found.filter((one) => one.skin === own && one.age === age).length < each) found.push({ seed, skin: own, age });
  }
  return found;
}

/** What visits end with, in one condition, by one engine and with a number of photos. */
export interface GuestVisits {
  readonly condition: string;
  readonly engineId: string;
  readonly photos: number;
  readonly ends: readonly VisitEnd[] | null;
}

/** A guest enrols with one, two and three photos, and comes in every condition. */
export async function visitsOf({ seed }: Guest, node: OpenEngine): Promise<GuestVisits[]> {
  const { engine } = node;
  const enrolled = new Map<Worn, Readonly<Record<string, Float32Array | null>>[]>();
  const doors = new Map<string, (attempt: number) => Looks>();
  const visits: GuestVisits[] = [];
  for (const { name: condition, photos: worn, door, light } of conditions) {
    const shots = enrolled.get(worn) ?? (await enrolledPhotos(node, seed, worn));
    enrolled.set(worn, shots);
    const key = JSON.stringify([door, light]);
    const looks = doors.get(key) ?? doorLooks(node, seed, door, lux[light]);
    doors.set(key, looks);
    for (const recipe of engine.recipes) {
      const { engineId } = recipe;
      const templates = shots.map((shot) => shot[engineId] ?? null);
      for (const photos of photoCounts) {
        const ends = await attempts({ ...recipe, core: engine.core }, templates.slice(0, photos), looks);
        visits.push({ condition, engineId, photos, ends });
      }
    }
  }
  return visits;
}

type Drawn = Omit<Parameters<typeof renderLitHead>[0], 'panel'>;

/** @param camera which one */
function take(head: Drawn, ambientLux: number, camera: number, noiseSeed: number): RenderedImage {
  const scene = renderLitHead({ ...head, spread, panel: null });
  const light = { ambientLux, ambientColour: [1, 1, 1], screen: [0, 0, 0] } as const;
  const taking = new AutoCamera({ seed: camera, noiseSeed, optics: opticsOf(camera) });
  taking.settle(scene, light);
  return taking.take(scene, light, 0);
}

/** The person's photos by engine; null where one was refused. */
async function enrolledPhotos({ engine }: OpenEngine, seed: number, wears: Worn) {
  const shots: Record<string, Float32Array | null>[] = [];
  for (const [i, shot] of photoShots.entries()) {
    const camera = seed + 500_000;
    const head = { ...size, ...shot, seed, wears, distance: 1.1, background: { seed: 1 + i } };
    const photo = take(head, 300, camera, camera + i);
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
function doorLooks(node: OpenEngine, seed: number, wears: Worn, ambientLux: number): (attempt: number) => Looks {
  const draws = new SeededDraws(`door ${seed}`);
  const light = { azimuthDeg: draws.between(-60, 60), elevationDeg: draws.between(15, 75) };
  const background = { seed: 10 + Math.floor(draws.fixed * 30) };
  const sway = naturalSway(seed);
  const seen = new Map<number, Promise<Look | null>>();
  const beginsMs = { front: 1_200, turned: 7_000, back: 8_000 } as const;
  return (attempt) => (stage, i) => {
    const atMs = 20_000 * attempt + beginsMs[stage] + 300 * i;
    const swayed = sway(atMs);
    const turn = stage === 'turned' ? (turnedDeg[i] ?? 0) * (seed % 2 === 0 ? 1 : -1) : 0;
    const stance = { yawDeg: turn + (swayed.yawDeg ?? 0), distance: attempt === 0 ? 1.35 : 1.45 };
    const known =
      seen.get(atMs) ??
      lookAt(
        node,
        take({ ...size, ...swayed, ...stance, seed, wears, light, background }, ambientLux, seed, seed + atMs),
      );
    seen.set(atMs, known);
    return known;
  };
}

/** What the device compares of a frame. */
function lookAt({ engine, passiveLiveness }: OpenEngine, picture: RenderedImage): Promise<Look | null> {
  return withFace(engine, picture, async (face, image) => {
    if ((await passiveLiveness?.score(image, face)) === null) return null;
    const templates: Record<string, Float32Array> = {};
    for (const { engineId } of engine.recipes) templates[engineId] = await engine.embed(image, face, { engineId });
    return { templates, weight: probeWeight(face) };
  });
}
