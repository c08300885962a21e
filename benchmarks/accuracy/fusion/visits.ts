import type { PixelImage } from '@svc/core';
import { probeWeight } from '@svc/device-sdk/evaluation';
import { type FaceEngine, wipeAnalysis } from '@svc/face-engine';
import { naturalSway, renderHead } from '@svc/synthetic-faces';
import { identityFrame } from '../synthetic/measure.ts';
import { poorPicture, type Trouble } from './poor-picture.ts';

/**
 * The first of the people: nobody of them is in another campaign, and no number of an engine or of the policy was found
 * on them.
 */
export const firstSeed = 24_001;
/** As far apart as people are. */
const spread = 1;
/** As often as the device compares. */
export const frameIntervalMs = 300;
/** As many as a device compares in front before it gives up. */
export const framesPerVisit = 8;
/** The face is some 125 pixels wide, as at a door before 640 × 480; a smaller frame around it is drawn sooner. */
const frame = { width: 400, height: 300, distance: 1.06 } as const;

/** Where and with what camera somebody is seen. */
export interface Place {
  readonly name: string;
  readonly trouble: Trouble;
}

export const places: readonly Place[] = [
  { name: 'good', trouble: { defocusPx: 0, motionPx: 0, light: 1, noise: 0 } },
  { name: 'motion blur', trouble: { defocusPx: 0.8, motionPx: 28, light: 0.8, noise: 4 } },
  { name: 'out of focus, noise', trouble: { defocusPx: 2.8, motionPx: 2, light: 0.7, noise: 20 } },
  { name: 'dim, noise', trouble: { defocusPx: 1, motionPx: 4, light: 0.12, noise: 22 } },
];

/** One frame of a visit, as each engine sees it. */
export interface SeenFrame {
  readonly templates: ReadonlyMap<string, Float32Array>;
  readonly weight: number;
}

export interface Visit {
  readonly person: number;
  readonly place: number;
  /** Those in which a face was found, in their order. */
  readonly frames: readonly SeenFrame[];
}

export interface Person {
  readonly seed: number;
  /** By engine; an engine that did not enrol the person is not among them. */
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

async function see(engine: FaceEngine, picture: PixelImage): Promise<SeenFrame | null> {
  const image = engine.open(picture);
  try {
    const [detection] = await engine.detect(image);
    const face = detection === undefined ? null : await engine.analyse(image, detection);
    if (face === null) return null;
    const templates = new Map<string, Float32Array>();
    for (const { engineId } of engine.recipes) templates.set(engineId, await engine.embed(image, face, { engineId }));
    const weight = probeWeight(face);
    wipeAnalysis(face);
    return { templates, weight };
  } finally {
    image.dispose();
  }
}

/** Whoever looks at the camera for eight comparisons, once in each place. */
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
  return [{ seed, references }, visits];
}
