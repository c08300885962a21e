import type { FaceCore, PixelImage } from '@svc/core';
import { type EngineRecipe, type FaceEngine, facesIn, type Quality, wipeAnalysis } from '@svc/face-engine';
import type { FaceLimits } from '@svc/face-models';
import { type EngineEnrolments, enrolmentsOf } from '../evaluation/enrol-for-engines.ts';
import { blurred, exposed, noisy, scaledDown } from '../images/degrade.ts';
import { readPhoto } from '../images/read-photo.ts';
import { progress } from '../output.ts';
import { attPeople } from './att-faces.ts';
import type { PersonPhotos } from './genuine.ts';

/** A limit of enrolment that a degradation is compared with. */
export type LimitedQuality = Extract<keyof FaceLimits & keyof Quality, string>;

/** A degradation of pictures in steps. */
export interface Degradation {
  readonly title: string;
  readonly steps: readonly number[];
  /** The face quality that measures it, with its bins; null if none does. */
  readonly measure: { readonly name: Exclude<LimitedQuality, 'coverage'>; readonly edges: readonly number[] } | null;
  /** Null if the original is already as bad. */
  apply(core: FaceCore, image: PixelImage, step: number, quality: Quality): PixelImage | null;
}

export const degradations = {
  small: {
    title: 'Scaled down',
    steps: [30, 26, 22, 18, 14, 10],
    measure: { name: 'interEyePx', edges: [8, 12, 16, 20, 24, 28, 32] },
    apply: (core, image, eyes, { interEyePx }) =>
      interEyePx <= eyes ? null : scaledDown(core, image, eyes / interEyePx),
  },
  blurred: {
    title: 'Blurred',
    steps: [0.02, 0.03, 0.04, 0.06, 0.08, 0.12],
    measure: { name: 'sharpness', edges: [0, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 1] },
    apply: (_core, image, share, { interEyePx }) => blurred(image, share * interEyePx),
  },
  dimmed: {
    title: 'Dimmed',
    steps: [0.4, 0.25, 0.18, 0.14, 0.1, 0.07],
    measure: { name: 'brightness', edges: [0, 0.02, 0.04, 0.06, 0.08, 0.11, 0.17, 0.3, 1] },
    apply: (_core, image, factor) => exposed(image, factor),
  },
  overexposed: {
    title: 'Overexposed',
    steps: [1.2, 1.4, 1.6, 1.8, 2.1, 2.5],
    measure: { name: 'overexposed', edges: [0, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1] },
    apply: (_core, image, factor) => exposed(image, factor),
  },
  noisy: {
    title: 'Noise',
    steps: [5, 10, 20, 30, 45],
    measure: null,
    apply: (_core, image, sigma) => noisy(image, sigma),
  },
} as const satisfies Record<string, Degradation>;
export type DegradationName = keyof typeof degradations;
export const degradationNames = Object.keys(degradations) as DegradationName[];

/** A degraded picture and an engine's result for it. */
export interface DegradedPicture {
  readonly degradation: DegradationName | null;
  readonly step: number;
  /** Null if no face was found. */
  readonly quality: Quality | null;
  /**
   * Comparisons with the same person's other, undegraded photos: how many were made, and how many matched at the
   * shipped threshold.
   */
  readonly compared: number;
  readonly matched: number;
}

/** Number of photos per person of the grey set that take part, and how many of these are degraded. */
const greyPhotos = 5;
const greyDegraded = 2;

/** Photos by person: those that are degraded, and those they are compared with. */
interface Subject {
  readonly photos: readonly string[];
  readonly degraded: readonly string[];
}

function subjectsOf(data: string, colour: readonly PersonPhotos[]): Subject[] {
  const grey = attPeople(data).map((paths) => paths.slice(0, greyPhotos));
  return [
    ...grey.map((photos) => ({ photos, degraded: photos.slice(0, greyDegraded) })),
    ...colour.map(({ files }) => ({ photos: [...files.keys()], degraded: [...files.keys()] })),
  ];
}

/**
 * Genuine pairs with one degraded photo, for each engine: undegraded, then with every step of every degradation. Faces
 * and their quality do not depend on the engine and are found once.
 * @param enrolments of all these photos, undegraded
 */
export async function measureDegraded(input: {
  readonly engine: FaceEngine;
  readonly recipes: readonly EngineRecipe[];
  readonly data: string;
  readonly colour: readonly PersonPhotos[];
  readonly enrolments: EngineEnrolments;
}): Promise<ReadonlyMap<string, readonly DegradedPicture[]>> {
  const { engine, recipes, enrolments } = input;
  const subjects = subjectsOf(input.data, input.colour);
  const results = new Map(recipes.map(({ engineId }) => [engineId, [] as DegradedPicture[]]));
  const bar = progress(
    'degraded',
    subjects.reduce((sum, { degraded }) => sum + degraded.length, 0),
  );
  const look = async (
    picture: PixelImage,
    { photos }: Subject,
    path: string,
    degradation: DegradationName | null,
    step: number,
  ) => {
    const image = engine.open(picture);
    const faces = await facesIn(engine, image);
    try {
      const [face] = faces;
      for (const recipe of recipes) {
        const { engineId, matchThreshold } = recipe;
        const references = photos.flatMap((other) => {
          const enrolment = other === path ? undefined : enrolmentsOf(enrolments, recipe).get(other);
          return enrolment?.ok ? [enrolment.reference] : [];
        });
        const template = face && references.length > 0 ? await engine.embed(image, face, { engineId }) : null;
        const matched = references.filter(
          (reference) => template !== null && engine.core.cosine(template, reference) >= matchThreshold,
        );
        template?.fill(0);
        const quality = face?.quality ?? null;
        results
          .get(engineId)
          ?.push({ degradation, step, quality, compared: references.length, matched: matched.length });
      }
      return face?.quality ?? null;
    } finally {
      for (const face of faces) wipeAnalysis(face);
      image.dispose();
    }
  };
  for (const subject of subjects) {
    for (const path of subject.degraded) {
      // A photo that cannot be enrolled undegraded gives no information about the degradation.
      const isEnrolled = recipes.some((recipe) => enrolmentsOf(enrolments, recipe).get(path)?.ok);
      const photo = isEnrolled ? await readPhoto(path) : null;
      const quality = photo && (await look(photo, subject, path, null, 0));
      for (const name of photo && quality ? degradationNames : []) {
        const { steps, apply }: Degradation = degradations[name];
        for (const step of steps) {
          const worse = photo && quality && apply(engine.core, photo, step, quality);
          if (worse) await look(worse, subject, path, name, step);
          worse?.data.fill(0);
        }
      }
      photo?.data.fill(0);
      bar.step();
    }
  }
  bar.done();
  return results;
}
