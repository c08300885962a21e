import type { PixelImage } from '@svc/core';
import { probeWeight } from '@svc/device-sdk/evaluation';
import type { FaceEngine } from '@svc/face-engine';
import { naturalSway, renderHead } from '@svc/synthetic-faces';
import { withFace } from '../first-face.ts';
import { identityFrame } from '../synthetic/identities.ts';
import { poorPicture, type Trouble } from './poor-picture.ts';

/** Seed of the first person: used by no other campaign, and not for tuning an engine or the policy. */
const firstSeed = 24_001;
/** Spread of real people. */
const spread = 1;
/** The device's rate of comparisons. */
const frameIntervalMs = 300;
/** The device's maximum number of frontal comparisons. */
export const framesPerVisit = 8;
/** The face is about 125 pixels wide, as at a door with 640 × 480; a smaller frame is rendered faster. */
const frame = { width: 400, height: 300, distance: 1.06 } as const;

/** A place with its camera. */
interface Place {
  readonly name: string;
  readonly trouble: Trouble;
}

export const places: readonly Place[] = [
  { name: 'good', trouble: { defocusPx: 0, motionPx: 0, light: 1, noise: 0 } },
  { name: 'motion blur', trouble: { defocusPx: 0.8, motionPx: 28, light: 0.8, noise: 4 } },
  { name: 'out of focus, noise', trouble: { defocusPx: 2.8, motionPx: 2, light: 0.7, noise: 20 } },
  { name: 'dim, noise', trouble: { defocusPx: 1, motionPx: 4, light: 0.12, noise: 22 } },
];

/** One frame of a visit, by engine. */
export interface SeenFrame {
  readonly templates: ReadonlyMap<string, Float32Array>;
  readonly weight: number;
}

export interface Visit {
  readonly person: number;
  readonly place: number;
  /** Frames with a face, in order. */
  readonly frames: readonly SeenFrame[];
}

export interface Person {
  /** By engine, without those that did not enrol the person. */
  readonly references: ReadonlyMap<string, Float32Array>;
}

async function referencesOf(engine: FaceEngine, seed: number): Promise<ReadonlyMap<string, Float32Array>> {
  const photo = renderHead({ ...identityFrame, seed, spread, noiseSeed: 1_000 });
  const found = new Map<string, Float32Array>();
  for (const { engineId } of engine.recipes) {
    const enrolled = await engine.enrol(photo, { engineId });
    if (enrolled.ok) found.set(engineId, enrolled.reference);
  }
  return found;
}

const see = (engine: FaceEngine, picture: PixelImage): Promise<SeenFrame | null> =>
  withFace(engine, picture, async (face, image) => {
    const templates = new Map<string, Float32Array>();
    for (const { engineId } of engine.recipes) templates.set(engineId, await engine.embed(image, face, { engineId }));
    return { templates, weight: probeWeight(face) };
  });

/** A person who looks at the camera for eight comparisons, once in each place. */
export async function visitsOf(engine: FaceEngine, person: number): Promise<readonly [Person, readonly Visit[]]> {
  const seed = firstSeed + person;
  const references = await referencesOf(engine, seed);
  const sway = naturalSway(seed);
  const frames = Array.from({ length: framesPerVisit }, (_, i) =>
    renderHead({ ...frame, seed, spread, ...sway(i * frameIntervalMs), noiseSeed: seed * 16 + i }),
  );
  const visits: Visit[] = [];
  for (const [place, { trouble }] of places.entries()) {
    const seen: SeenFrame[] = [];
    for (const [i, frame] of frames.entries()) {
      const one = await see(engine, poorPicture(frame, trouble, (seed * 8 + i) * places.length + place));
      if (one !== null) seen.push(one);
    }
    visits.push({ person, place, frames: seen });
  }
  return [{ references }, visits];
}
