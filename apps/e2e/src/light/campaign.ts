import { judgeLight, STANDARD_LIGHT_POLICY } from '@svc/device-sdk';
import type { FaceEngine } from '@svc/face-engine';
import { identitySeed } from '@svc/synthetic-faces';
import type { Kept } from './kept.ts';
import { type Person, renderPerson } from './person.ts';
import { type Kind, type Measured, measure, stage } from './trial.ts';

/** Lux on the face: a dark hall, a dim foyer, a room in the evening, an office, beside a window. */
export const levels = [5, 50, 150, 400, 2000] as const;
/** The first four, at which the challenge has to separate; at the last it has to abstain. */
export const separating = levels.slice(0, 4);

/** One challenge of somebody or something at one light. */
export interface Challenge extends Measured {
  readonly person: number;
  readonly kind: Kind;
  readonly ambientLux: number;
}

export interface Outcome extends Pick<Challenge, 'person' | 'kind' | 'ambientLux'> {
  /** `answered`, `not-answered`, or `abstained:` with the reason. */
  readonly verdict: string;
  readonly gain: number | null;
  readonly explained: number | null;
}

export interface Campaign {
  readonly people: readonly number[];
  readonly kinds: readonly Kind[];
}

/**
 * Renders each person once and measures everything with the scenes, at every level; people whom the engine loses are passed over. What was kept is
 * not made again.
 */
export async function* runCampaign(
  engine: FaceEngine,
  { people, kinds }: Campaign,
  kept: Kept<readonly Challenge[]>,
): AsyncGenerator<Challenge> {
  for (const person of people) {
    let rendered: Person | null | undefined;
    for (const kind of kinds) {
      let challenges = await kept.find(`${person}-${kind}`);
      if (challenges === null) {
        rendered ??= await renderPerson(engine, identitySeed(person));
        challenges = rendered === null ? [] : challengesOf(rendered, person, kind);
        await kept.keep(`${person}-${kind}`, challenges);
      }
      yield* challenges;
    }
  }
}

function challengesOf(rendered: Person, person: number, kind: Kind): Challenge[] {
  const staged = stage(rendered, kind, 1);
  return levels.map((ambientLux) => ({ person, kind, ambientLux, ...measure(staged, { ambientLux, seed: 1 }) }));
}

/** @param screen `known`: the device was told what its screen gives; `unknown`: it takes it for an ordinary one */
export function outcomeOf(
  { person, kind, ambientLux, shown, samples }: Challenge,
  screen: 'known' | 'unknown' = 'known',
): Outcome {
  const { steps, endMs, candela } = shown;
  const { verdict, evidence } = judgeLight(
    samples,
    { steps, endMs, ...(screen === 'known' ? { candela } : {}) },
    STANDARD_LIGHT_POLICY,
  );
  return {
    person,
    kind,
    ambientLux,
    verdict: verdict.outcome === 'abstained' ? `abstained:${verdict.reason}` : verdict.outcome,
    gain: evidence?.face.gain ?? null,
    explained: evidence?.face.explained ?? null,
  };
}
