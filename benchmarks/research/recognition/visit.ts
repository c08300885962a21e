import { FusedProbe, STANDARD_POLICY } from '@svc/device-sdk/evaluation';
import { type EngineRecipe, meanTemplate } from '@svc/face-engine';
import type { ComparingEngine } from './enrolment.ts';

/** A frame that the device would compare: embeddings by engine, and its weight in a mean. */
export interface Look {
  readonly templates: Readonly<Record<string, Float32Array>>;
  readonly weight: number;
}

/** An attempt's frames by number: in front, turned on the way there and back, and in front again. Null: not to compare. */
export type Looks = (stage: 'front' | 'turned' | 'back', i: number) => Promise<Look | null>;

/** `unseen`: a stage had no frame to compare. The others name the stage whose comparisons missed. */
export type VisitEnd = 'match' | 'unseen' | 'first' | 'turned' | 'second';

/** A visit of a person with a ticket, the own one or another's, compared by one engine with a number of photos. */
export interface Visit {
  /** Rows of the table in which it counts. */
  readonly labels: readonly string[];
  readonly people: readonly [ticket: number, visitor: number];
  readonly engineId: string;
  readonly photos: number;
  /** Null without a photo that was enrolled. */
  readonly ends: readonly VisitEnd[] | null;
}

export type VisitEngine = ComparingEngine & Pick<EngineRecipe, 'turnedMargin'>;

/** Comparisons that the window of ten seconds has time for. */
const tries = { front: 16, back: 8 } as const;
/** Where a turn of ordinary speed is compared: on the way, completed, on the way back. */
export const turnedDeg = [13, 24, 13] as const;

/**
 * The comparisons of one attempt, as the device's state machine makes them (docs/internals/liveness.md): in front the
 * mean of up to five frames until the first match, each turned frame alone, and a second match of a new mean. Liveness
 * is taken as passed.
 */
export async function visit(engine: VisitEngine, reference: Float32Array, looks: Looks): Promise<VisitEnd> {
  const { core, engineId, matchThreshold, turnedMargin } = engine;
  const least = matchThreshold - turnedMargin;
  const fused = async (stage: 'front' | 'back', maxMisses: number): Promise<'match' | 'miss' | 'unseen'> => {
    const probe = new FusedProbe(core, STANDARD_POLICY.fusion.maxFrames);
    let misses = 0;
    for (let i = 0; i < tries[stage] && misses < maxMisses; i++) {
      const seen = await looks(stage, i);
      const template = seen?.templates[engineId];
      if (!seen || !template) continue;
      probe.add({ template: template.slice(), weight: seen.weight }, least);
      if (probe.cosine(reference) >= matchThreshold) return 'match';
      misses += 1;
    }
    return misses > 0 ? 'miss' : 'unseen';
  };
  const first = await fused('front', STANDARD_POLICY.maxFrontalMisses);
  if (first !== 'match') return first === 'miss' ? 'first' : first;
  for (const i of turnedDeg.keys()) {
    const template = (await looks('turned', i))?.templates[engineId];
    if (template && !(core.cosine(template, reference) >= least)) return 'turned';
  }
  const second = await fused('back', STANDARD_POLICY.maxReturnMisses);
  return second === 'miss' ? 'second' : second;
}

/** One visit and, after a refusal, a second attempt; null without a photo that was enrolled. */
export async function attempts(
  engine: VisitEngine,
  photos: readonly (Float32Array | null)[],
  looks: (attempt: number) => Looks,
): Promise<readonly VisitEnd[] | null> {
  const [first] = photos;
  if (!first) return null;
  // The service refuses a further photo that does not match the first, and keeps the mean of the others.
  const own = photos.filter((photo) => photo !== null && engine.core.cosine(first, photo) >= engine.matchThreshold);
  const reference = meanTemplate(
    engine.core,
    own.map((template) => ({ template: template ?? first, weight: 1 })),
  );
  const end = await visit(engine, reference, looks(0));
  return end === 'match' ? [end] : [end, await visit(engine, reference, looks(1))];
}
