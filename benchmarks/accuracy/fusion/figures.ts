import { FusedProbe, STANDARD_POLICY } from '@svc/device-sdk/evaluation';
import { type EngineRecipe, type FaceEngine, meanTemplate } from '@svc/face-engine';
import { cosineOf } from '../synthetic/measure.ts';
import type { Person, SeenFrame, Visit } from './visits.ts';

/** Errors among trials. */
export interface Rate {
  readonly errors: number;
  readonly trials: number;
}

/** Error rates of one way to compare. */
export interface Errors {
  /** The person's own visits below the threshold. */
  readonly fnmr: Rate;
  /** Visits of other people at or above it. */
  readonly fmr: Rate;
}

/** Number of frames averaged for a comparison's probe, from the start of a visit. */
export interface ProbeKind {
  readonly frames: number;
  readonly isWeighted: boolean;
}

export const probeKinds: readonly ProbeKind[] = [
  { frames: 1, isWeighted: true },
  { frames: 2, isWeighted: true },
  { frames: 3, isWeighted: true },
  { frames: 5, isWeighted: true },
  { frames: 5, isWeighted: false },
];

/** Results of visits for one engine. */
export interface EngineFigures {
  readonly recipe: EngineRecipe;
  /** By `probeKinds`, in that order; one comparison each. */
  readonly comparisons: readonly Errors[];
  /** Frame by frame, up to eight comparisons, without averaging. */
  readonly frameByFrame: AttemptFigures;
  /** As on a device: each frame with the mean of those before. */
  readonly fused: AttemptFigures;
  /** Own frames that did not join the mean of those before. */
  readonly ownApart: Rate;
  /** Other people's frames of the same place that would have joined. */
  readonly othersJoin: Rate;
}

export interface AttemptFigures extends Errors {
  /** Embeddings of the person's own visits. */
  readonly embeddings: number;
  /** Which of the person's own visits matched, in order. */
  readonly matched: readonly boolean[];
}

const templateOf = ({ templates }: SeenFrame, engineId: string): Float32Array =>
  templates.get(engineId) ?? new Float32Array();

class Count {
  #errors = 0;
  #trials = 0;

  add(isError: boolean): void {
    this.#trials += 1;
    if (isError) this.#errors += 1;
  }

  get rate(): Rate {
    return { errors: this.#errors, trials: this.#trials };
  }
}

/** Every visit with every reference, the person's own and all others'. */
function errorsOf<T>(
  tried: readonly { readonly visit: Visit; readonly probe: T }[],
  people: readonly Person[],
  engineId: string,
  matches: (probe: T, reference: Float32Array) => boolean,
): Errors {
  const [missed, matched] = [new Count(), new Count()];
  for (const { visit, probe } of tried) {
    for (const [person, { references }] of people.entries()) {
      const reference = references.get(engineId);
      if (reference === undefined) continue;
      if (person === visit.person) missed.add(!matches(probe, reference));
      else matched.add(matches(probe, reference));
    }
  }
  return { fnmr: missed.rate, fmr: matched.rate };
}

/** Cosines of a visit's comparisons with a reference, in order. */
type Cosines = (reference: Float32Array) => readonly number[];

/** Up to eight comparisons, ending with the first match. */
function attempts(
  tried: readonly { readonly visit: Visit; readonly probe: Cosines }[],
  people: readonly Person[],
  { engineId, matchThreshold }: EngineRecipe,
): AttemptFigures {
  const isMatch = (cosine: number) => cosine >= matchThreshold;
  const errors = errorsOf(tried, people, engineId, (cosines, reference) => cosines(reference).some(isMatch));
  const made = tried.flatMap(({ visit, probe }) => {
    const reference = people[visit.person]?.references.get(engineId);
    if (reference === undefined) return [];
    const cosines = probe(reference);
    const first = cosines.findIndex(isMatch);
    return [{ embeddings: first < 0 ? cosines.length : first + 1, isMatch: first >= 0 }];
  });
  return {
    ...errors,
    embeddings: made.reduce((sum, { embeddings }) => sum + embeddings, 0) / Math.max(1, made.length),
    matched: made.map(({ isMatch }) => isMatch),
  };
}

/** The figures of one engine's visits. */
export function figuresOf(
  engine: FaceEngine,
  recipe: EngineRecipe,
  people: readonly Person[],
  visits: readonly Visit[],
): EngineFigures {
  const { core } = engine;
  const { engineId, matchThreshold, turnedMargin } = recipe;
  const leastCosine = matchThreshold - turnedMargin;
  const seen = visits.filter(({ frames, person }) => frames.length > 0 && people[person]?.references.has(engineId));
  const comparisons = probeKinds.map(({ frames: count, isWeighted }) => {
    const tried = seen
      .filter(({ frames }) => frames.length >= count)
      .map((visit) => {
        const frames = visit.frames.slice(0, count);
        const weighted = frames.map((frame) => ({
          template: templateOf(frame, engineId),
          weight: isWeighted ? frame.weight : 1,
        }));
        return { visit, probe: meanTemplate(core, weighted) };
      });
    return errorsOf(tried, people, engineId, (probe, reference) => cosineOf(probe, reference) >= matchThreshold);
  });
  const alone = ({ frames }: Visit): Cosines => {
    const templates = frames.map((frame) => templateOf(frame, engineId));
    return (reference) => templates.map((template) => cosineOf(template, reference));
  };
  const fused = ({ frames }: Visit): Cosines => {
    return (reference) => {
      const probe = new FusedProbe(core, STANDARD_POLICY.fusion.maxFrames);
      return frames.map((frame) => {
        // Adding to the probe overwrites it.
        probe.add({ template: templateOf(frame, engineId).slice(), weight: frame.weight }, leastCosine);
        return probe.cosine(reference);
      });
    };
  };
  const tried = (probe: (visit: Visit) => Cosines) => seen.map((visit) => ({ visit, probe: probe(visit) }));
  const [ownApart, othersJoin] = [new Count(), new Count()];
  for (const visit of seen) {
    const probe = new FusedProbe(core, STANDARD_POLICY.fusion.maxFrames);
    for (const frame of visit.frames) {
      const template = templateOf(frame, engineId).slice();
      if (frame !== visit.frames[0]) ownApart.add(probe.cosine(template) < leastCosine);
      probe.add({ template, weight: frame.weight }, leastCosine);
    }
    for (const { frames, place, person } of seen) {
      const [first] = frames;
      if (person === visit.person || place !== visit.place || first === undefined) continue;
      othersJoin.add(probe.cosine(templateOf(first, engineId)) >= leastCosine);
    }
  }
  return {
    recipe,
    comparisons,
    frameByFrame: attempts(tried(alone), people, recipe),
    fused: attempts(tried(fused), people, recipe),
    ownApart: ownApart.rate,
    othersJoin: othersJoin.rate,
  };
}
