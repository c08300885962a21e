import { type FaceCore, FaceError } from '@svc/core';

/** A template, and how much it counts in a mean. */
export interface WeightedTemplate {
  /** `Float32Array[dimension]`, unit L2 norm. Only read. */
  readonly template: Float32Array;
  /** Above 0. */
  readonly weight: number;
}

/**
 * The mean direction of several templates of one person and one engine: `Float32Array[dimension]`, unit L2 norm; the
 * caller wipes it.
 *
 * @throws FaceError `invalid-argument` for none, for lengths that differ, for weights that are not above 0, and where
 *   they cancel each other out
 */
export function meanTemplate(core: FaceCore, templates: readonly WeightedTemplate[]): Float32Array {
  const [first] = templates;
  const mean = new Float32Array(first?.template.length ?? 0);
  const areAlike = templates.every(
    ({ template, weight }) => template.length === mean.length && weight > 0 && weight < Number.POSITIVE_INFINITY,
  );
  if (areAlike) {
    for (const { template, weight } of templates) {
      for (let i = 0; i < mean.length; i++) mean[i] = (mean[i] ?? 0) + weight * (template[i] ?? Number.NaN);
    }
  }
  if (first === undefined || !areAlike || !core.normalise(mean)) {
    mean.fill(0);
    throw new FaceError('invalid-argument', 'templates that have no common mean');
  }
  return mean;
}
