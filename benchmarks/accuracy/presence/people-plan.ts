import type { FrameOptions, HeadOptions } from '@svc/synthetic-faces';
import { Draws } from '../light/draws.ts';

/** The first of the people that training sees. No figure of the project was taken on any of them. */
export const firstTrainedSeed = 20_001;
export const framesPerPerson = 3;
export const frameSize = { width: 960, height: 720 } as const;

export interface PlannedFrame {
  readonly file: string;
  readonly identity: string;
  readonly options: FrameOptions & HeadOptions;
}

const backgroundOf = (draws: Draws) => ({
  seed: 1 + Math.floor(draws.next() * 100_000),
  kind: draws.pick(['room', 'room', 'room', 'wall', 'gradient'] as const),
  blur: draws.between(0.003, 0.016),
  brightness: draws.between(0.35, 1.7),
});

const lightOf = (draws: Draws) => ({
  azimuthDeg: draws.between(-75, 75),
  elevationDeg: draws.between(-10, 65),
  intensity: draws.between(0.5, 1.5),
  ambient: draws.between(0.4, 1.6),
  colourTemperature: draws.between(2_700, 8_500),
});

const chance = (draws: Draws, probability: number, otherwise: () => number): number =>
  draws.next() < probability ? otherwise() : 0;

function frameOf(seed: number, index: number): FrameOptions & HeadOptions {
  const draws = new Draws(`presence/${seed}/${index}`);
  const distance = Math.exp(draws.between(Math.log(1.35), Math.log(2.6)));
  // The nearer, the less may it lie off the middle: the crops want the frame around it.
  const off = Math.min(1, distance - 1.2);
  return {
    ...frameSize,
    seed,
    // Half of them as far apart as people are, half as wide as the published identities.
    ...(seed % 2 === 0 ? { spread: 1 } : {}),
    yawDeg: draws.between(-25, 25),
    pitchDeg: draws.between(-12, 12),
    rollDeg: draws.between(-10, 10),
    expression: {
      smile: chance(draws, 0.6, () => draws.next()),
      mouthOpen: chance(draws, 0.3, () => draws.between(0, 0.7)),
      blink: chance(draws, 0.15, () => draws.next()),
    },
    light: lightOf(draws),
    distance,
    centreX: 0.5 + off * draws.between(-0.2, 0.2),
    centreY: 0.5 + off * draws.between(-0.14, 0.12),
    background: backgroundOf(draws),
    exposure: draws.between(0.7, 1.3),
    // What a camera adds is drawn in training, on people and on pictures of them alike.
    noise: 0,
    sharpening: draws.between(0, 0.15),
    softness: draws.between(0.3, 0.6),
  };
}

/** The pictures of one rendered person: every one in a pose, light, place and room of its own, the same each time. */
export function framesOf(seed: number): readonly PlannedFrame[] {
  return Array.from({ length: framesPerPerson }, (_, index) => ({
    file: `people/${seed}-${index}.png`,
    identity: `r${seed}`,
    options: frameOf(seed, index),
  }));
}
