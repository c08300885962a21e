import type { FaceEngine } from '@svc/face-engine';
import { identitySeed } from '@svc/synthetic-faces';
import { renderPerson } from './person.ts';
import { type Kind, runTrial, stage } from './trial.ts';

/** Lux on the face: a dark hall, a dim foyer, a room in the evening, an office, beside a window. */
export const levels = [5, 50, 150, 400, 2000] as const;
/** The first four, at which the challenge has to separate; at the last it has to abstain. */
export const separating = levels.slice(0, 4);

export interface Outcome {
  readonly person: number;
  readonly kind: Kind;
  readonly ambientLux: number;
  /** `answered`, `not-answered`, or `abstained:` with the reason. */
  readonly verdict: string;
  readonly gain: number | null;
  readonly explained: number | null;
}

export interface Campaign {
  readonly people: readonly number[];
  readonly kinds: readonly Kind[];
  readonly ambientLux: readonly number[];
}

/** Renders each person once and tries everything with the scenes; people whom the engine loses are passed over. */
export async function* runCampaign(
  engine: FaceEngine,
  { people, kinds, ambientLux }: Campaign,
): AsyncGenerator<Outcome> {
  for (const index of people) {
    const person = await renderPerson(engine, identitySeed(index));
    if (person === null) continue;
    for (const kind of kinds) {
      const staged = stage(person, kind, 1);
      for (const lux of ambientLux) {
        const { verdict, evidence } = runTrial(staged, { ambientLux: lux, seed: 1 });
        yield {
          person: index,
          kind,
          ambientLux: lux,
          verdict: verdict.outcome === 'abstained' ? `abstained:${verdict.reason}` : verdict.outcome,
          gain: evidence?.face.gain ?? null,
          explained: evidence?.face.explained ?? null,
        };
      }
    }
  }
}
