import { FaceError } from '@svc/core';
import { type EngineRecipe, type FaceEngine, refusalOf } from '@svc/face-engine';
import { readPhoto } from '../images/read-photo.ts';
import { progress } from '../output.ts';
import type { Enrolment } from './enrolment.ts';

/** Compares the templates of one engine. */
export type ComparingEngine = Pick<FaceEngine, 'core' | 'dimension' | 'engineId' | 'matchThreshold'>;

export const comparing = (
  { core }: Pick<FaceEngine, 'core'>,
  { dimension, engineId, matchThreshold }: EngineRecipe,
): ComparingEngine => ({ core, dimension, engineId, matchThreshold });

/** Enrolments by engine, then by path. Enrolments of the same photo share their analysis. */
export type EngineEnrolments = ReadonlyMap<string, ReadonlyMap<string, Enrolment>>;

/**
 * Enrols one photo with each engine. Detection and quality do not depend on the engine and are done once; if the first
 * engine refuses the photo, each other engine runs separately, because its limits may differ.
 */
export async function enrolForEach(
  engine: FaceEngine,
  path: string,
  recipes: readonly EngineRecipe[],
): Promise<Enrolment[]> {
  const photo = await readPhoto(path).catch((error: unknown) => {
    if (FaceError.is(error) && error.code === 'image-invalid') return null;
    throw error;
  });
  if (photo === null) return recipes.map(() => ({ ok: false, reason: 'image-invalid' }));
  const enrolments: Enrolment[] = [];
  for (const { engineId, enrolmentLimits } of recipes) {
    const seen = enrolments.find((one) => one.ok);
    if (!seen?.ok) {
      enrolments.push(await engine.enrol(photo, { engineId }));
      continue;
    }
    const { analysis } = seen;
    const refusal = refusalOf([analysis], enrolmentLimits);
    if (refusal !== null) {
      enrolments.push(refusal);
      continue;
    }
    const image = engine.open(photo);
    try {
      enrolments.push({ ok: true, reference: await engine.embed(image, analysis, { engineId }), analysis });
    } finally {
      image.dispose();
    }
  }
  photo.data.fill(0);
  return enrolments;
}

/** Every file once, in the order given. */
export async function enrolForEngines(
  engine: FaceEngine,
  paths: Iterable<string>,
  recipes: readonly EngineRecipe[],
): Promise<EngineEnrolments> {
  const distinct = [...new Set(paths)];
  const bar = progress('enrolled', distinct.length);
  const byEngine = new Map(recipes.map(({ engineId }) => [engineId, new Map<string, Enrolment>()]));
  for (const path of distinct) {
    const enrolments = await enrolForEach(engine, path, recipes);
    for (const [i, { engineId }] of recipes.entries()) {
      const enrolment = enrolments[i];
      if (enrolment) byEngine.get(engineId)?.set(path, enrolment);
    }
    bar.step();
  }
  bar.done();
  return byEngine;
}

/** The enrolments of one engine. */
export const enrolmentsOf = (all: EngineEnrolments, { engineId }: Pick<EngineRecipe, 'engineId'>) =>
  all.get(engineId) ?? new Map<string, Enrolment>();
