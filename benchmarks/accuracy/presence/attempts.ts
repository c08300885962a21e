import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { PixelImage } from '@svc/core';
import type { FaceEngine } from '@svc/face-engine';
import { naturalSway } from '@svc/synthetic-faces';
import { decodePhoto } from '../../inputs/decode-photo.ts';
import { meanOf } from '../../statistics/summary.ts';
import { plan } from '../liveness/campaign.ts';
import { presentations } from '../liveness/presentations.ts';
import { type ByModel, scoreFrame } from './scored-frame.ts';
import type { UngatedModel } from './ungated-models.ts';

/** Frames of a person or an attack. */
export interface Attempt {
  /** `live`, or the kind of attack. */
  readonly kind: string;
  frames(): AsyncIterable<PixelImage>;
}

/** The kind of people; every other kind is an attack. */
export const live = 'live';

/** Yaw in degrees per frame: ahead first, then turning as the active check asks. */
const turnsDeg = [0, 0, 0, 8, 16, 24];
const frameMs = 400;

/**
 * Every presentation of `people` people from a seed on, at 640 × 480, over the lights, rooms and distances of the
 * liveness campaign. Recordings are left out, as they look like replays.
 */
export function renderedAttempts(people: number, firstSeed: number): readonly Attempt[] {
  const planned = plan(people, people, firstSeed).flatMap((one) => {
    const presentation = presentations.find(({ id, kind }) => id === one.presentation && kind !== 'recording');
    return presentation === undefined ? [] : [{ ...one, presentation }];
  });
  // Person by person, so that each model is built once.
  planned.sort((a, b) => a.seed - b.seed);
  return planned.map(({ presentation, seed, scene, distance, direction }) => ({
    kind: presentation.id,
    async *frames() {
      const sway = naturalSway(seed);
      for (const [i, turnDeg] of turnsDeg.entries()) {
        const posed = sway(i * frameMs);
        const yawDeg = (direction === 'left' ? turnDeg : -turnDeg) + (posed.yawDeg ?? 0);
        const size = { width: 640, height: 480 };
        yield presentation.draw(
          { ...posed, ...size, seed, spread: 1, noiseSeed: 100 * seed + i, distance, yawDeg },
          scene,
        );
      }
    },
  }));
}

/** Attempts stored as pictures: `FOLDER/KIND/ATTEMPT/FRAME.png`, frames in name order. */
export function storedAttempts(folder: string): readonly Attempt[] {
  const foldersIn = (path: string): string[] =>
    readdirSync(path, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name)
      .sort();
  return foldersIn(folder).flatMap((kind) =>
    foldersIn(join(folder, kind)).map((attempt) => ({
      kind,
      async *frames() {
        const path = join(folder, kind, attempt);
        for (const file of readdirSync(path).sort()) yield decodePhoto(join(path, file));
      },
    })),
  );
}

/** The models' results for one attempt. */
export interface ScoredAttempt {
  readonly kind: string;
  readonly frames: number;
  /** Frames in which no face was found. */
  readonly withoutFace: number;
  /** Mean over the frames with a face, within the limits or not; missing if there is none. */
  readonly mean: ByModel<number>;
  /** Frames with a face that the device would not have scored. */
  readonly unscorable: ByModel<number>;
}

export async function scoreAttempt(
  engine: FaceEngine,
  models: readonly UngatedModel[],
  attempt: Attempt,
): Promise<ScoredAttempt> {
  let [frames, withoutFace] = [0, 0];
  const scores = new Map(models.map(({ name }) => [name, [] as number[]]));
  const outside = new Map(models.map(({ name }) => [name, 0]));
  for await (const frame of attempt.frames()) {
    frames += 1;
    const scored = await scoreFrame(engine, models, frame);
    if (scored === null) withoutFace += 1;
    for (const { name } of models) {
      const own = scored?.[name];
      if (own === undefined) continue;
      if (own.score !== null) scores.get(name)?.push(own.score);
      if (own.unmet.length > 0) outside.set(name, (outside.get(name) ?? 0) + 1);
    }
  }
  const means = [...scores].flatMap(([name, values]) => (values.length === 0 ? [] : [[name, meanOf(values)]]));
  return {
    kind: attempt.kind,
    frames,
    withoutFace,
    mean: Object.fromEntries(means),
    unscorable: Object.fromEntries(outside),
  };
}
