import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { PixelImage } from '@svc/core';
import { type FaceEngine, minifasnetCalibration, type PassiveNetworks, type PassiveReading } from '@svc/face-engine';
import {
  AutoCamera,
  type DeviceName,
  deviceNames,
  displayLight,
  displays,
  heldDevice,
  litPrint,
  naturalSway,
  opticsOf,
  panelOf,
  renderLitHead,
} from '@svc/synthetic-faces';
import { readPhoto } from '../../inputs/read-photo.ts';
import { sharedData } from '../../inputs/shared-data.ts';
import { generator } from '../bootstrap.ts';
import { withFace } from '../first-face.ts';
import { kept } from '../kept.ts';

/** Some frames of one person or picture of one, seconds apart. */
export interface Look {
  /** Seed of a rendered person; 0 for real ones. */
  readonly person: number;
  readonly kind: 'live' | 'print' | DeviceName;
  readonly readings: readonly PassiveReading[];
}

type Read = (picture: PixelImage) => Promise<PassiveReading | null>;

/** Reads a picture's widest face; null where it could not be scored. */
export const readerOf =
  (engine: FaceEngine, networks: PassiveNetworks): Read =>
  (picture) =>
    withFace(engine, picture, async (face, image) => {
      const { contextScale, interEyePx } = minifasnetCalibration.scorable;
      const reading = await networks.read(image, face);
      return reading.room >= contextScale && face.quality.interEyePx >= interEyePx ? reading : null;
    });

/** Room around the face of 1.3 to 1.95, and of 2.1 to 3.6. */
const distances = { near: [0.8, 0.95], far: [1.05, 1.75] } as const;
type Hold = keyof typeof distances;

/** Every person is seen alone, in both holds with and without light, and on some of the devices. */
function shotsOf(random: () => number) {
  const others = deviceNames.filter((name) => name !== 'rimless');
  return (['near', 'far'] as const).flatMap((hold) => {
    const other = others[Math.floor(others.length * random())] ?? 'rimless';
    return [
      { kind: 'live' as const, hold, isLit: false },
      { kind: 'live' as const, hold, isLit: true },
      ...(['rimless', other, 'print'] as const).map((kind) => ({ kind, hold, isLit: random() < 0.4 })),
    ];
  });
}

/** A person and pictures of that person before one camera, each time in another light and room, twice. */
async function renderedLooks(seed: number, read: Read): Promise<readonly Look[]> {
  const random = generator(seed);
  const between = ([low, high]: readonly [number, number]): number => low + (high - low) * random();
  const optics = opticsOf(seed);
  const looks: Look[] = [];
  for (const { kind, hold, isLit } of shotsOf(random)) {
    const display = displays[Math.floor(displays.length * random())] ?? displays[0];
    const frame = {
      ...{ width: 640, height: 480, distance: between(distances[hold]) },
      background: { seed: 1 + Math.floor(40 * random()) },
      light: { azimuthDeg: between([-50, 50]), elevationDeg: between([15, 50]) },
      panel: isLit ? panelOf(display) : null,
    };
    const colour = { red: 255 * Math.round(random()), green: 255 * Math.round(random()), blue: 255 };
    const light = {
      ambientLux: between([80, 500]),
      ambientColour: [between([0.9, 1.15]), 1, between([0.85, 1.1])] as const,
      screen: displayLight(display, isLit ? colour : null),
    };
    const camera = new AutoCamera({ seed, noiseSeed: seed + looks.length, optics });
    const [yawDeg, turnDeg, tiltDeg] = [between([-25, 25]), between([-8, 8]), between([-6, 6])];
    const sway = naturalSway(seed + looks.length);
    const readings: PassiveReading[] = [];
    for (const atMs of [0, 700]) {
      const moved = sway(atMs);
      const head = { ...moved, seed, spread: 1, yawDeg: yawDeg + (moved.yawDeg ?? 0) };
      const scene = sceneOf(kind, hold, { ...frame, head, optics, turnDeg, tiltDeg });
      if (atMs === 0) camera.settle(scene, light);
      const reading = await read(camera.take(scene, light, atMs));
      if (reading !== null) readings.push(reading);
    }
    if (readings.length > 0) looks.push({ person: seed, kind, readings });
  }
  return looks;
}

type Held = Omit<Parameters<typeof heldDevice>[0], 'device' | 'hold'>;

function sceneOf(kind: Look['kind'], hold: Hold, options: Held) {
  if (kind === 'live') return renderLitHead({ ...options, ...options.head });
  return kind === 'print' ? litPrint({ ...options, bend: 0 }) : heldDevice({ ...options, device: kind, hold });
}

/** Looks of rendered people from `from` on. @param keep as of {@link kept} */
export async function looksOf(people: number, from: number, keep: string | null, read: Read): Promise<Look[]> {
  const looks: Look[] = [];
  for (let seed = from; seed < from + people; seed++) {
    looks.push(...(await kept(keep, `${seed}`, () => renderedLooks(seed, read))));
  }
  return looks;
}

/** Free portraits that fill their picture, of real people. Nothing of them is kept. */
export async function portraitLooks(read: Read): Promise<readonly Look[]> {
  const folder = sharedData('data', 'faces', 'interfaces');
  const looks: Look[] = [];
  for (const file of folder === null ? [] : readdirSync(folder).filter((name) => name.endsWith('.jpg'))) {
    const reading = await read(await readPhoto(join(folder ?? '', file)));
    if (reading !== null) looks.push({ person: 0, kind: 'live', readings: [reading] });
  }
  return looks;
}
