import { clamp } from '../math.ts';
import { publishedSeeds } from '../published-seeds.ts';
import { Random } from '../random.ts';
import { type Colour, skinAlbedo } from './colours.ts';
import { populations, type ShapeHandle, shapeHandles } from './populations.ts';
import type { Traits } from './traits.ts';

/** How many mutually distinct identities are published. */
export const publishedIdentityCount = publishedSeeds.length;

/**
 * The index-th of a list of seeds whose people the engine tells apart from one another.
 *
 * @throws RangeError when the index is not a whole number from 0 to `publishedIdentityCount` − 1
 */
export function identitySeed(index: number): number {
  const seed = publishedSeeds[index];
  if (seed === undefined) throw new RangeError('index of a published identity');
  return seed;
}

/** Seeds from here on give wide people, who vary more than real people so that recognition engines tell them apart. */
const firstWideSeed = 1_000_000;

/** Spread of the shapes of wide people, in standard deviations of real people. */
export const wideSpread = 1.6;

export const isWide = (seed: number): boolean => seed >= firstWideSeed;

/** Uniform with a standard deviation of 1: as varied as a normal distribution, with all values within ±1.73. */
const even = (random: Random): number => random.range(-Math.sqrt(3), Math.sqrt(3));

/** A region of the skin lighter, darker or redder than the rest. */
export interface SkinPatch {
  readonly x: number;
  readonly y: number;
  readonly sigma: number;
  /** Height over width. */
  readonly stretch: number;
  readonly gain: Colour;
  /** With an edge, as a birthmark has. */
  readonly sharp: boolean;
}

/** Smaller ranges for handles that break a face sooner than others. */
const calmed: Partial<Record<ShapeHandle, number>> = {
  eyeOpening: 0.6,
  eyeHeight: 0.7,
  eyeSize: 0.75,
  lidHood: 0.5,
  mouthHeight: 0.7,
  foreheadHeight: 0.6,
  jowls: 0.6,
  noseBend: 0.6,
  faceDepth: 0.3,
  chinForward: 0.4,
  noseForward: 0.4,
  noseBridge: 0.6,
  noseHump: 0.6,
  browRidge: 0.6,
  eyeDepth: 0.6,
  foreheadSlope: 0.4,
  cheekboneForward: 0.4,
  lipForward: 0.5,
  epicanthus: 0.6,
  jawAngle: 0.8,
};

/**
 * Each handle gets the mean of a separately drawn origin, because consistent origins would make groups of similar
 * faces.
 */
export function wideShape(seed: number, spread: number): Record<ShapeHandle, number> {
  const random = new Random(seed, 'wide-shape');
  const shape = {} as Record<ShapeHandle, number>;
  for (const name of shapeHandles) {
    const { means } = random.pick(populations);
    shape[name] = (means[name] ?? 0) + (calmed[name] ?? 1) * spread * even(random);
  }
  return shape;
}

/** Scale of the bumps that every face has, within its plane and in depth; depth affects the tracked yaw. */
export const wideRippleGain = { plane: 1.2, depth: 0.7 } as const;

/** A bump of a size below the features', mirrored to both sides. */
export interface FineBump {
  readonly x: number;
  readonly y: number;
  readonly z: number;
  readonly sigma: number;
  readonly dx: number;
  readonly dy: number;
  readonly dz: number;
}

/** Where fine bumps lie: about the eyes, on the nose, round the mouth, on the chin. */
const fineRegions: readonly {
  readonly x: readonly [number, number];
  readonly y: readonly [number, number];
  readonly z: number;
  readonly count: number;
}[] = [
  { x: [1.2, 4.8], y: [1.4, 5.2], z: 4, count: 9 },
  { x: [0, 1.8], y: [-2.2, 2.6], z: 6, count: 8 },
  { x: [0, 3], y: [-6, -2.8], z: 5, count: 7 },
  { x: [0, 5], y: [-9, -6], z: 3.5, count: 3 },
];

/** Handles of the eyes, nose, mouth and chin themselves, not only of their positions. */
export function fineBumps(seed: number, spread: number): FineBump[] {
  const random = new Random(seed, 'fine-ripples');
  const size = (0.25 * spread) / wideSpread;
  return fineRegions.flatMap(({ x, y, z, count }) =>
    Array.from({ length: count }, () => ({
      x: random.range(...x),
      y: random.range(...y),
      z,
      sigma: random.range(0.55, 1.1),
      dx: size * even(random),
      dy: size * even(random),
      dz: 0.8 * size * even(random),
    })),
  );
}

function patchesOf(random: Random): SkinPatch[] {
  const stains: SkinPatch[] = Array.from({ length: random.integer(4) }, () => {
    const depth = 0.7 * even(random);
    const red = random.range(0, 0.35);
    return {
      x: random.range(-5.5, 5.5),
      y: random.range(-7.5, 7),
      sigma: random.range(0.6, 2),
      stretch: random.range(0.5, 2),
      sharp: true,
      gain: [Math.exp(depth + red), Math.exp(depth - red), Math.exp(depth - red)] as const,
    };
  });
  return stains.concat(
    Array.from({ length: 10 }, () => {
      const depth = 0.5 * even(random);
      const warm = 0.25 * depth * even(random);
      return {
        x: random.range(-6, 6),
        y: random.range(-8, 7),
        sigma: random.range(0.8, 2.2),
        stretch: random.range(0.6, 1.6),
        gain: [Math.exp(depth + warm), Math.exp(depth), Math.exp(depth - warm)] as const,
        sharp: false,
      };
    }),
  );
}

/** The person with skin, brows, beard and glasses from a wider variety. */
export function widened(traits: Traits): Traits {
  const random = new Random(traits.seed, 'wide');
  const tone = random.next();
  return {
    ...traits,
    skin: {
      ...traits.skin,
      tone,
      patches: patchesOf(random),
      albedo: skinAlbedo(tone, 0.9 * even(random), 1 + 0.1 * even(random)),
      wrinkles: clamp(random.next() ** 1.5 * 1.1, 0, 1.1),
      eyeCircles: random.range(0, 1.1),
      lipRed: random.range(0, 1.1),
      eyeMakeUp: random.chance(0.5) ? random.range(0.2, 1.3) : 0,
      lipstick:
        traits.masculinity < 0.5 && random.chance(0.6)
          ? [random.range(0.02, 0.6), random.range(0.01, 0.2), random.range(0.02, 0.3)]
          : null,
      freckles: random.chance(0.4) ? random.range(0.3, 1.3) : 0,
    },
    brows: {
      ...traits.brows,
      thickness: random.range(0.3, 2.4),
      density: random.range(0.2, 1),
      arch: 1.4 * even(random),
      slant: 1.4 * even(random),
      height: 1.5 * even(random),
    },
    beard: {
      ...traits.beard,
      style:
        traits.masculinity > 0.5 && random.chance(0.5)
          ? random.pick(['stubble', 'moustache', 'goatee', 'full', 'chin-curtain'])
          : 'none',
      length: random.range(0.1, 1.2),
      density: random.range(0.5, 1),
    },
    glasses: {
      ...traits.glasses,
      style: random.chance(0.3) ? random.pick(['round', 'rectangle', 'browline', 'thin', 'oversize']) : 'none',
      thickness: random.range(0.5, 1.9),
    },
  };
}
