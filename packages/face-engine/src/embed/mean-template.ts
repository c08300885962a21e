import { type FaceCore, FaceError } from '@svc/core';

/** A template and its weight in a mean. */
export interface WeightedTemplate {
  /** `Float32Array[dimension]`, unit L2 norm; only read. */
  readonly template: Float32Array;
  /** Above 0. */
  readonly weight: number;
}

/**
 * Weighted mean direction of several templates of one person and one engine.
 * @returns `Float32Array[dimension]`, unit L2 norm; wiped by the caller
 * @throws FaceError `invalid-argument` for no templates, different lengths, a weight that is not above 0, or a zero
 *   mean
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
