import { type EarlierLight, judgeLight, type LightJudgement } from '@svc/device-sdk/evaluation';
import type { FaceEngine } from '@svc/face-engine';
import { identitySeed } from '@svc/synthetic-faces';
import { kept } from '../kept.ts';
import { type Person, renderPerson } from './person.ts';
import { type Kind, type Measured, measure, stage } from './trial.ts';

/** Lux on the face: a dark hall, a dim foyer, a room in the evening, an office, next to a window. */
export const levels = [5, 50, 150, 400, 2000] as const;
/** The challenge must separate at the first four levels, and abstain at the last. */
export const separating = levels.slice(0, 4);

/** One challenge of a person or an attack at one light level. */
export interface Challenge extends Measured {
  /** The second sequence, if the first was too faint. */
  readonly again?: Measured;
  readonly person: number;
  readonly kind: Kind;
  readonly ambientLux: number;
}

export interface Outcome extends Pick<Challenge, 'person' | 'kind' | 'ambientLux'> {
  /** `answered`, `not-answered`, or `abstained:` with the reason. */
  readonly verdict: string;
  readonly sequences: 1 | 2;
  /** Evidence of the last sequence. */
  readonly gain: number | null;
  readonly explained: number | null;
}

export interface Campaign {
  readonly people: readonly number[];
  readonly kinds: readonly Kind[];
  /** Of {@link levels}. */
  readonly lux: readonly number[];
}

/**
 * Renders each person once and measures all presentations with these scenes, at each level. People whose face the
 * engine does not find are skipped.
 * @param folder see {@link kept}
 */
export async function* runCampaign(
  engine: FaceEngine,
  { people, kinds, lux }: Campaign,
  folder: string | null,
): AsyncGenerator<Challenge> {
  for (const person of people) {
    let rendered: Person | null | undefined;
    for (const kind of kinds) {
      yield* await kept(folder, `${person}-${kind}`, async () => {
        rendered ??= await renderPerson(engine, identitySeed(person));
        return rendered === null ? [] : challengesOf(rendered, person, kind, lux);
      });
    }
  }
}

/** One challenge at each level, with a second sequence where the first is too faint. */
export function challengesOf(rendered: Person, person: number, kind: Kind, lux: readonly number[]): Challenge[] {
  const staged = stage(rendered, kind, 1);
  return lux.map((ambientLux) => {
    const options = { ambientLux, seed: 1 };
    const first = measure(staged, options);
    const needsSecond = screens.some((screen) => isFaint(judged(first, screen)));
    return {
      person,
      kind,
      ambientLux,
      ...first,
      ...(needsSecond ? { again: measure(staged, { ...options, again: true }) } : {}),
    };
  });
}

/** `known`: the device was told its screen's intensity; `unknown`: it assumes an ordinary screen. */
const screens = ['known', 'unknown'] as const;
type Screen = (typeof screens)[number];

function judged({ shown, samples }: Measured, screen: Screen, earlier?: EarlierLight): LightJudgement {
  const { steps, endMs, candela } = shown;
  const told = screen === 'known' ? { steps, endMs, candela } : { steps, endMs };
  return judgeLight(samples, told, earlier);
}

const isFaint = ({ verdict }: LightJudgement): boolean => verdict.outcome === 'abstained' && verdict.reason === 'faint';

/** The attempt's result with one sequence or two; if the second is missing it stays `abstained:faint`. */
export function outcomeOf(challenge: Challenge, screen: Screen = 'known'): Outcome {
  const { person, kind, ambientLux, again } = challenge;
  const first = judged(challenge, screen);
  const isSecond = again !== undefined && isFaint(first);
  const { verdict, evidence } = isSecond ? judged(again, screen, { sequences: 1, faint: first.evidence }) : first;
  return {
    person,
    kind,
    ambientLux,
    sequences: isSecond ? 2 : 1,
    verdict: verdict.outcome === 'abstained' ? `abstained:${verdict.reason}` : verdict.outcome,
    gain: evidence?.face.gain ?? null,
    explained: evidence?.face.explained ?? null,
  };
}
