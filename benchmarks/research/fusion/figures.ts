import { FusedProbe, STANDARD_POLICY } from '@svc/device-sdk/evaluation';
import { type EngineRecipe, type FaceEngine, meanTemplate } from '@svc/face-engine';
import { cosineOf } from '../synthetic/identities.ts';
import type { Person, SeenFrame, Visit } from './visits.ts';

/** Errors among trials. */
export interface Count {
  readonly errors: number;
  readonly trials: number;
}

/** Error rates of one way to compare. */
export interface Errors {
  /** The person's own visits below the threshold. */
  readonly fnmr: Count;
  /** Visits of other people at or above it. */
  readonly fmr: Count;
}

/** Numbers of frames averaged for a comparison's probe, from the start of a visit. */
export const probeFrames = [1, 5] as const;

/** Results of visits for one engine. */
export interface EngineFigures {
  readonly engineId: string;
  /** By `probeFrames`, in that order; one comparison each. */
  readonly comparisons: readonly Errors[];
  /** Frame by frame, up to eight comparisons, without averaging. */
  readonly frameByFrame: Errors;
  /** As on a device: each frame with the mean of those before. */
  readonly fused: Errors;
}

const countOf = (errors: readonly boolean[]): Count => ({
  errors: errors.filter(Boolean).length,
  trials: errors.length,
});

/** The figures of one engine's visits. */
export function figuresOf(
  { core }: Pick<FaceEngine, 'core'>,
  { engineId, matchThreshold, turnedMargin }: EngineRecipe,
  people: readonly Person[],
  visits: readonly Visit[],
): EngineFigures {
  const templateOf = ({ templates }: SeenFrame): Float32Array => templates.get(engineId) ?? new Float32Array();
  const referenceOf = (person: number) => people[person]?.references.get(engineId);
  const seen = visits.filter(({ frames, person }) => frames.length > 0 && referenceOf(person));

  /** Every visit with every reference, the person's own and all others'. Cosines of the comparisons, in order. */
  function attempts(tried: readonly Visit[], cosines: (visit: Visit, reference: Float32Array) => readonly number[]) {
    const [own, others]: [(readonly number[])[], boolean[]] = [[], []];
    for (const visit of tried) {
      for (const person of people.keys()) {
        const reference = referenceOf(person);
        if (reference === undefined) continue;
        const found = cosines(visit, reference);
        if (person === visit.person) own.push(found);
        else others.push(found.some((cosine) => cosine >= matchThreshold));
      }
    }
    const isMissed = (found: readonly number[]) => found.every((cosine) => cosine < matchThreshold);
    return { fnmr: countOf(own.map(isMissed)), fmr: countOf(others) };
  }

  const comparisons = probeFrames.map((count) => {
    const tried = seen.filter(({ frames }) => frames.length >= count);
    const probes = new Map(
      tried.map((visit) => {
        const frames = visit.frames.slice(0, count);
        return [
          visit,
          meanTemplate(
            core,
            frames.map((frame) => ({ template: templateOf(frame), weight: frame.weight })),
          ),
        ];
      }),
    );
    return attempts(tried, (visit, reference) => [cosineOf(probes.get(visit) ?? new Float32Array(), reference)]);
  });
  return {
    engineId,
    comparisons,
    frameByFrame: attempts(seen, ({ frames }, reference) =>
      frames.map((frame) => cosineOf(templateOf(frame), reference)),
    ),
    fused: attempts(seen, ({ frames }, reference) => {
      const probe = new FusedProbe(core, STANDARD_POLICY.fusion.maxFrames);
      return frames.map((frame) => {
        // Adding to the probe overwrites it.
        probe.add({ template: templateOf(frame).slice(), weight: frame.weight }, matchThreshold - turnedMargin);
        return probe.cosine(reference);
      });
    }),
  };
}
