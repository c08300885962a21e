import type { FaceCore, PixelImage } from '@svc/core';
import type { EngineRecipe, FaceEngine, Quality } from '@svc/face-engine';
import type { FaceLimits } from '@svc/face-models';
import { readPhoto } from '../../inputs/read-photo.ts';
import { withFace } from '../first-face.ts';
import { blurred, exposed, scaledDown } from '../images.ts';
import { markdownTable, wrapped } from '../markdown.ts';
import { progress } from '../progress.ts';
import { type Rate, rateOf } from '../rates.ts';
import { attPeople } from './att-faces.ts';
import { shortName } from './engine-figures.ts';
import type { Enrolments } from './enrolment.ts';
import type { PersonPhotos } from './genuine.ts';

/** A limit of enrolment that a degradation is compared with. */
export type LimitedQuality = Extract<keyof FaceLimits & keyof Quality, string>;

/** A degradation of pictures in steps. */
export interface Degradation {
  readonly title: string;
  readonly steps: readonly number[];
  /** The face quality that measures it, with its bins. */
  readonly measure: { readonly name: Exclude<LimitedQuality, 'coverage'>; readonly edges: readonly number[] };
  /** Null if the original is already as bad. */
  apply(core: FaceCore, image: PixelImage, step: number, quality: Quality): PixelImage | null;
}

export const degradations = {
  small: {
    title: 'scaled down',
    steps: [30, 26, 22, 18, 14, 10],
    measure: { name: 'interEyePx', edges: [8, 12, 16, 20, 24, 28, 32] },
    apply: (core, image, eyes, { interEyePx }) =>
      interEyePx <= eyes ? null : scaledDown(core, image, eyes / interEyePx),
  },
  blurred: {
    title: 'blurred',
    steps: [0.02, 0.03, 0.04, 0.06, 0.08, 0.12],
    measure: { name: 'sharpness', edges: [0, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 1] },
    apply: (_core, image, share, { interEyePx }) => blurred(image, share * interEyePx),
  },
  dimmed: {
    title: 'dimmed',
    steps: [0.4, 0.25, 0.18, 0.14, 0.1, 0.07],
    measure: { name: 'brightness', edges: [0, 0.02, 0.04, 0.06, 0.08, 0.11, 0.17, 0.3, 1] },
    apply: (_core, image, factor) => exposed(image, factor),
  },
  overexposed: {
    title: 'overexposed',
    steps: [1.2, 1.4, 1.6, 1.8, 2.1, 2.5],
    measure: { name: 'overexposed', edges: [0, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1] },
    apply: (_core, image, factor) => exposed(image, factor),
  },
} as const satisfies Record<string, Degradation>;
export type DegradationName = keyof typeof degradations;
export const degradationNames = Object.keys(degradations) as DegradationName[];

/** A degraded picture and an engine's result for it. */
export interface DegradedPicture {
  readonly degradation: DegradationName | null;
  /** Null if no face was found. */
  readonly quality: Quality | null;
  /**
   * Comparisons with the same person's other, undegraded photos: how many were made, and how many matched at the
   * shipped threshold.
   */
  readonly compared: number;
  readonly matched: number;
}

/** An engine's results for degraded pictures. */
export interface DegradedFigures {
  readonly recipe: EngineRecipe;
  readonly pictures: readonly DegradedPicture[];
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
    ...colour.map((photos) => ({ photos, degraded: photos })),
  ];
}

/**
 * Genuine pairs with one degraded photo, for each engine: undegraded, then with every step of every degradation. Faces
 * and their quality do not depend on the engine and are found once.
 * @param enrolments of all these photos, undegraded, by engine
 */
export async function measureDegraded(input: {
  readonly engine: FaceEngine;
  readonly recipes: readonly EngineRecipe[];
  readonly data: string;
  readonly colour: readonly PersonPhotos[];
  readonly enrolments: ReadonlyMap<string, Enrolments>;
}): Promise<readonly DegradedFigures[]> {
  const { engine, enrolments } = input;
  const subjects = subjectsOf(input.data, input.colour);
  const figures = input.recipes.map((recipe) => ({ recipe, pictures: [] as DegradedPicture[] }));
  const bar = progress(
    'degraded',
    subjects.reduce((sum, { degraded }) => sum + degraded.length, 0),
  );
  /** Compares a picture of `path` with the person's other photos. @returns its quality; null without a face */
  async function look(
    picture: PixelImage,
    { photos }: Subject,
    path: string,
    degradation: DegradationName | null,
  ): Promise<Quality | null> {
    const templates = await withFace(engine, picture, async (face, image) => {
      const made = [];
      for (const { recipe } of figures) made.push(await engine.embed(image, face, { engineId: recipe.engineId }));
      return { made, quality: face.quality };
    });
    for (const [i, { recipe, pictures }] of figures.entries()) {
      const references = photos.flatMap((other) => {
        const enrolment = other === path ? undefined : enrolments.get(recipe.engineId)?.get(other);
        return enrolment?.ok ? [enrolment.reference] : [];
      });
      const template = templates?.made[i];
      const matched = references.filter(
        (reference) => template && engine.core.cosine(template, reference) >= recipe.matchThreshold,
      );
      template?.fill(0);
      const quality = templates?.quality ?? null;
      pictures.push({ degradation, quality, compared: references.length, matched: matched.length });
    }
    return templates?.quality ?? null;
  }
  for (const subject of subjects) {
    for (const path of subject.degraded) {
      bar.step();
      // A photo that cannot be enrolled undegraded gives no information about the degradation.
      if (!figures.some(({ recipe }) => enrolments.get(recipe.engineId)?.get(path)?.ok)) continue;
      const photo = await readPhoto(path);
      const quality = await look(photo, subject, path, null);
      for (const name of quality ? degradationNames : []) {
        const { steps, apply }: Degradation = degradations[name];
        for (const step of steps) {
          const worse = quality && apply(engine.core, photo, step, quality);
          if (worse) await look(worse, subject, path, name);
          worse?.data.fill(0);
        }
      }
      photo.data.fill(0);
    }
  }
  bar.done();
  return figures;
}

/** Comparisons whose degraded photo's quality lies in a bin. */
export interface QualityBin {
  readonly from: number;
  readonly to: number;
  /** `errors` are the matches. */
  readonly matched: Rate;
}

/** Matches among all comparisons of some pictures; pictures without a face are left out. */
export function matchedShare(pictures: readonly DegradedPicture[]): Rate {
  const seen = pictures.filter(({ quality }) => quality !== null);
  return rateOf(
    seen.reduce((sum, { matched }) => sum + matched, 0),
    seen.reduce((sum, { compared }) => sum + compared, 0),
  );
}

export const undegraded = (pictures: readonly DegradedPicture[]): Rate =>
  matchedShare(pictures.filter(({ degradation }) => degradation === null));

/** By the measured quality of the degraded photo, ascending; bins without a comparison are left out. */
export function qualityBins(pictures: readonly DegradedPicture[], name: DegradationName): QualityBin[] {
  const { measure }: Degradation = degradations[name];
  return measure.edges.slice(1).flatMap((to, i) => {
    const from = measure.edges[i] ?? Number.NaN;
    const isLast = i === measure.edges.length - 2;
    const inside = pictures.filter(({ degradation, quality }) => {
      const value = quality?.[measure.name] ?? Number.NaN;
      return degradation === name && value >= from && (value < to || (isLast && value <= to));
    });
    const matched = matchedShare(inside);
    return matched.trials === 0 ? [] : [{ from, to, matched }];
  });
}

/** Maximum loss of matches, and the minimum number of comparisons per bin. */
export const limitRule = { fall: 0.05, leastComparisons: 40 } as const;

/**
 * The worst quality that costs at most five percentage points of the matches. Goes through the bins from good to bad,
 * skipping those with too few comparisons, and returns the far edge of the last bin before one that costs more.
 * @param isLeast whether higher values are better
 * @returns null if even the best bin costs more
 */
export function limitOf(bins: readonly QualityBin[], base: number, isLeast: boolean): number | null {
  const fromGood = isLeast ? [...bins].reverse() : bins;
  let limit: number | null = null;
  for (const { from, to, matched } of fromGood) {
    if (matched.trials < limitRule.leastComparisons) continue;
    if ((matched.rate ?? 0) < base - limitRule.fall) break;
    limit = isLeast ? from : to;
  }
  return limit;
}

/** Whether higher values of a quality are better. */
export const isLeastLimit = (name: keyof FaceLimits): boolean => name !== 'overexposed';

const measureTitles = {
  interEyePx: 'pixels between eyes',
  sharpness: 'sharpness',
  brightness: 'mean luma',
  overexposed: 'burnt out',
} as const;

/** `94.4 % (336/356; 91.5–96.5)` */
function percentOf({ errors, trials, rate, interval95 }: Rate): string {
  if (rate === null || interval95 === null) return '–';
  const [low, high] = interval95.map((share) => (100 * share).toFixed(1));
  return `${(100 * rate).toFixed(1)} % (${errors}/${trials}; ${low}–${high})`;
}

function remarkOf(name: DegradationName, { from, to }: QualityBin, { enrolmentLimits }: EngineRecipe): string {
  const { measure }: Degradation = degradations[name];
  const limit = enrolmentLimits[measure.name];
  if (from < limit && limit < to) return ` († in part, limit ${limit})`;
  const isRefused = isLeastLimit(measure.name) ? to <= limit : from >= limit;
  return isRefused ? ' †' : '';
}

const ownPictures = (name: DegradationName, { pictures }: DegradedFigures) =>
  pictures.filter(({ degradation }) => degradation === name);

/** Rows of one degradation: what it is and by how much, and the share that matches, by engine. */
function degradationRows(name: DegradationName, engines: readonly DegradedFigures[]): string[][] {
  const { measure }: Degradation = degradations[name];
  const binned = engines.map(({ recipe, pictures }) => ({ recipe, bins: qualityBins(pictures, name) }));
  return (binned[0]?.bins ?? []).map(({ from, to }) => [
    `${measureTitles[measure.name]} ${from}–${to}`,
    ...binned.map(({ recipe, bins }) => {
      const bin = bins.find((one) => one.from === from);
      return bin ? `${percentOf(bin.matched)}${remarkOf(name, bin, recipe)}` : '–';
    }),
  ]);
}

function withoutFace(name: DegradationName, engines: readonly DegradedFigures[]): string {
  const own = engines[0] === undefined ? [] : ownPictures(name, engines[0]);
  return `${degradations[name].title} ${own.filter(({ quality }) => quality === null).length} of ${own.length}`;
}

/** The share of genuine pairs that match, by degradation of one photo. */
export function qualitySection(engines: readonly DegradedFigures[]): string {
  return [
    '## Photo quality and recognition',
    '',
    wrapped(`We degrade one photo in steps and compare it with another of the same person. †: enrolment would refuse
the degraded photo. Photos: White House, CompreFace, and five of each AT&T person, two of them degraded. Rows: ranges of the degraded photo's quality. Cells: share of pairs that match; intervals treat pairs as independent. Computed blur and darkness differ from a camera's. Left out, as no face was found: ${degradationNames.map((name) => withoutFace(name, engines)).join(', ')}.`),
    '',
    markdownTable([
      ['', ...engines.map(({ recipe: { engineId } }) => shortName(engineId))],
      ['not degraded', ...engines.map(({ pictures }) => percentOf(undegraded(pictures)))],
      ...degradationNames.flatMap((name) => degradationRows(name, engines)),
    ]),
  ].join('\n');
}
