import {
  contrastPlaces,
  drawLightSequence,
  type EarlierLight,
  judgeLight,
  type LightJudgement,
  type LightSample,
  type LightSequence,
  linearColour,
  restingLight,
  sequenceMs,
  shownSteps,
} from '@svc/device-sdk/evaluation';
import { SeededDraws } from './seeded-draws.ts';

const startMs = 300;

const startsOf = (sequence: LightSequence): number[] => {
  let atMs = startMs;
  return sequence.map(({ durationMs }) => {
    const start = atMs;
    atMs += durationMs;
    return start;
  });
};

/**
 * Strength of the screen relative to the other light: in a room of 150 lux, and next to a window, where answers lead to
 * abstaining.
 */
export const strengths = { room: 1, window: 0.06 } as const;
export type Strength = keyof typeof strengths;

/** The answer of a head without noise, sway and camera. */
function idealAnswer(sequence: LightSequence, strength: Strength, draws: SeededDraws): LightSample[] {
  const fps = draws.pick([8, 10, 15, 30]);
  const latencyMs = draws.between(30, 220);
  const starts = startsOf(sequence);
  const samples: LightSample[] = [];
  for (let atMs = 0; atMs < startMs + sequenceMs(sequence) + 600; atMs += 1000 / fps) {
    const step = starts.findLastIndex((start) => start <= atMs - latencyMs);
    const isOver = atMs - latencyMs >= startMs + sequenceMs(sequence);
    const light = linearColour(isOver ? restingLight : (sequence[step]?.colour ?? restingLight));
    const lit = (albedo: number, inRoom: number) => {
      const gain = strengths[strength] * inRoom;
      return [albedo * (1 + gain * light[0]), albedo * (1 + gain * light[1]), albedo * (1 + gain * light[2])] as const;
    };
    samples.push({
      atMs,
      regions: [0.2, 0.25, 0.25, 0.2, 0.4].map((gain) => lit(0.25, gain)),
      contrasts: contrastPlaces.map(() => ({ dark: lit(0.06, 0.25), bright: lit(0.25, 0.25) })),
      background: lit(0.2, 0.01),
      faceShare: 0.3,
      clipped: 0,
      frontal: true,
    });
  }
  return samples;
}

/**
 * How many of as many ideal answers to another sequence are not refused: the success rate of guessing, or of a
 * recording.
 */
export function answersToAnother(
  count: number,
  strength: Strength,
): { readonly another: number; readonly own: number } {
  const draws = new SeededDraws('another');
  let [another, own] = [0, 0];
  for (let i = 0; i < count; i++) {
    if (passes('another', strength, draws)) another += 1;
    // Checks that these answers pass for their own sequence; a tenth is enough.
    if (i % 10 === 0 && passes('own', strength, draws)) own += 1;
  }
  return { another, own };
}

type Answered = 'own' | 'another';

/** Whether an attempt continues, by its second sequence if the first is too faint. */
function passes(answered: Answered, strength: Strength, draws: SeededDraws): boolean {
  const { verdict, evidence } = judged(answered, strength, draws);
  if (verdict.outcome !== 'abstained' || verdict.reason !== 'faint') return verdict.outcome !== 'not-answered';
  const second = judged(answered, strength, draws, { sequences: 1, faint: evidence });
  return second.verdict.outcome !== 'not-answered';
}

function judged(answered: Answered, strength: Strength, draws: SeededDraws, earlier?: EarlierLight): LightJudgement {
  const shown = drawLightSequence(draws);
  const lit = answered === 'own' ? shown : drawLightSequence(draws);
  const steps = shownSteps(shown, startsOf(shown));
  const endMs = startMs + sequenceMs(shown);
  return judgeLight(idealAnswer(lit, strength, draws), { steps, endMs }, earlier);
}
