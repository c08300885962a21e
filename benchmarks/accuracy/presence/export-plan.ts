import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import type { Box } from '@svc/face-engine';
import type { GoldenOutput, ModelEntry } from '@svc/face-models';
import type { FrameOptions, HeadOptions } from '@svc/synthetic-faces';
import { SeededDraws } from '../light/seeded-draws.ts';
import { miniFasNetInput } from '../parity/goldens.ts';

/** Size of the kept part relative to a face's box: more than the widest crop shows, with room to shift it. */
const around = 5.2;

interface Surroundings {
  /** Whole pixels of the picture. */
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
  /** Size of the file, pixels. */
  readonly fileWidth: number;
  readonly fileHeight: number;
  /** From the picture's pixels to the file's. */
  at(x: number, y: number): readonly [x: number, y: number];
}

const two = (value: number): number => Math.round(value * 100) / 100;

/**
 * The part of a face's picture that is kept, limited to the picture.
 *
 * @param box the liveness box
 * @param widest maximum width of the box in the file, in pixels; smaller ones are not enlarged
 */
export function surroundingsOf(picture: { width: number; height: number }, box: Box, widest: number): Surroundings {
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  const left = Math.max(0, Math.floor(x - (around / 2) * box.width));
  const top = Math.max(0, Math.floor(y - (around / 2) * box.height));
  const width = Math.min(picture.width, Math.ceil(x + (around / 2) * box.width)) - left;
  const height = Math.min(picture.height, Math.ceil(y + (around / 2) * box.height)) - top;
  const scale = Math.min(1, widest / box.width);
  const [fileWidth, fileHeight] = [Math.max(1, Math.round(width * scale)), Math.max(1, Math.round(height * scale))];
  return {
    left,
    top,
    width,
    height,
    fileWidth,
    fileHeight,
    at: (px, py) => [two(((px - left) * fileWidth) / width), two(((py - top) * fileHeight) / height)],
  };
}

/**
 * Makes a folder for pictures of real people that no commit could include: outside of any git work tree, or ignored by
 * git.
 *
 * @returns its path
 * @throws RangeError if git would see its content; then nothing is made
 */
export function ignoredFolder(path: string): string {
  let parent = resolve(path);
  while (!existsSync(parent)) parent = dirname(parent);
  // A link counts by its target.
  const folder = join(realpathSync(parent), relative(parent, resolve(path)));
  execFileSync('git', ['--version'], { stdio: 'ignore' });
  const git = (...args: string[]): boolean =>
    spawnSync('git', ['-C', realpathSync(parent), ...args], { stdio: 'ignore' }).status === 0;
  // An ignored folder may contain files that are not ignored.
  if (git('rev-parse', '--is-inside-work-tree') && !git('check-ignore', '--quiet', join(folder, 'index.json')))
    throw new RangeError('photos of real people do not go where git sees them');
  mkdirSync(folder, { recursive: true });
  return folder;
}

const file = new URL('../../../packages/face-models/src/goldens.json', import.meta.url);
const names = ['minifasnet-v2', 'minifasnet-v1se'] as const;

interface Recorded {
  /** Parameters for drawing its picture. */
  readonly entry: Pick<ModelEntry, 'name' | 'inputs' | 'golden'>;
  /** Print, live, replay. */
  readonly probabilities: readonly number[];
}

/** The recorded parts of MiniFASNet's networks. */
export function miniFasNetGoldens(): Readonly<Record<(typeof names)[number], Recorded>> {
  const goldens = JSON.parse(readFileSync(file, 'utf8')) as Record<(typeof names)[number], GoldenOutput>;
  const of = (name: (typeof names)[number]): Recorded => ({
    entry: { name, inputs: [miniFasNetInput], golden: goldens[name] },
    probabilities: goldens[name].outputs[0]?.values ?? [],
  });
  return { 'minifasnet-v2': of('minifasnet-v2'), 'minifasnet-v1se': of('minifasnet-v1se') };
}

/** Seed of the first person of the training. No figure of the project uses any of them. */
export const firstTrainedSeed = 20_001;
export const framesPerPerson = 3;
export const frameSize = { width: 960, height: 720 } as const;

export interface PlannedFrame {
  readonly file: string;
  readonly identity: string;
  readonly options: FrameOptions & HeadOptions;
}

const backgroundOf = (draws: SeededDraws) => ({
  seed: 1 + Math.floor(draws.next() * 100_000),
  kind: draws.pick(['room', 'room', 'room', 'wall', 'gradient'] as const),
  blur: draws.between(0.003, 0.016),
  brightness: draws.between(0.35, 1.7),
});

const lightOf = (draws: SeededDraws) => ({
  azimuthDeg: draws.between(-75, 75),
  elevationDeg: draws.between(-10, 65),
  intensity: draws.between(0.5, 1.5),
  ambient: draws.between(0.4, 1.6),
  colourTemperature: draws.between(2_700, 8_500),
});

const chance = (draws: SeededDraws, probability: number, otherwise: () => number): number =>
  draws.next() < probability ? otherwise() : 0;

function frameOf(seed: number, index: number): FrameOptions & HeadOptions {
  const draws = new SeededDraws(`presence/${seed}/${index}`);
  const distance = Math.exp(draws.between(Math.log(1.35), Math.log(2.6)));
  // The nearer, the less off-centre: the crops need the frame around the face.
  const off = Math.min(1, distance - 1.2);
  return {
    ...frameSize,
    seed,
    // Half of them with the spread of real people, half with that of the published identities.
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
    // Camera effects are added in training, to people and to pictures of them alike.
    noise: 0,
    sharpening: draws.between(0, 0.15),
    softness: draws.between(0.3, 0.6),
  };
}

/** The pictures of one rendered person: each with its own pose, light, place and room; deterministic. */
export function framesOf(seed: number): readonly PlannedFrame[] {
  return Array.from({ length: framesPerPerson }, (_, index) => ({
    file: `people/${seed}-${index}.png`,
    identity: `r${seed}`,
    options: frameOf(seed, index),
  }));
}
