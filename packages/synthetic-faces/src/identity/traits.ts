import { clamp } from '../math.ts';
import { Random } from '../random.ts';
import { type Colour, hairColours, irisColours, skinAlbedo, srgb } from './colours.ts';
import { populations, type ShapeHandle, shapeHandles } from './populations.ts';
import { isWide, type SkinPatch, widened, wideShape, wideSpread } from './wide-people.ts';

type HairStyle =
  | 'bald'
  | 'fringe-of-hair'
  | 'buzz'
  | 'short'
  | 'side-part'
  | 'quiff'
  | 'curly'
  | 'afro'
  | 'bob'
  | 'bangs'
  | 'long'
  | 'wavy'
  | 'bun'
  | 'swept-back';

type BeardStyle = 'none' | 'stubble' | 'moustache' | 'goatee' | 'full' | 'chin-curtain';
export type GlassesStyle = 'none' | 'round' | 'rectangle' | 'browline' | 'thin' | 'oversize';
export type ClothPattern = 'plain' | 'stripes' | 'check' | 'speckle';

/** What a person may put on or take off. */
export interface Worn {
  readonly glasses?: GlassesStyle;
  readonly headwear?: 'none' | 'beanie' | 'headscarf';
  /** A surgical mask over nose, mouth and chin. */
  readonly mask?: boolean;
}

type CollarStyle = 'crew' | 'v' | 'shirt' | 'turtleneck';

/** All values of a person that are the same in every picture. */
export type Traits = ReturnType<typeof drawnTraits>;

/** People vary more than in reality, because rendered faces resemble one another more than photographed ones. */
export const defaultSpread = 1.22;

function shapeOf(drawn: Record<ShapeHandle, number>, masculinity: number, age: number): Record<ShapeHandle, number> {
  const shape = { ...drawn };
  const male = (masculinity - 0.5) * 2;
  const old = clamp((age - 35) / 40, -0.4, 1);
  shape.jawWidth += 0.7 * male;
  shape.jawAngle += 0.7 * male;
  shape.chinWidth += 0.5 * male;
  shape.chinLength += 0.4 * male;
  shape.browRidge += 0.9 * male;
  shape.browHeight -= 0.7 * male;
  shape.noseWidth += 0.3 * male;
  shape.noseLength += 0.4 * male + 0.6 * old;
  shape.eyeSize -= 0.4 * male;
  shape.eyeOpening -= 0.3 * male + 0.6 * old;
  shape.upperLip -= 0.3 * male + 0.9 * old;
  shape.lowerLip -= 0.2 * male + 0.6 * old;
  shape.lidHood = Math.abs(shape.lidHood) * 0.6 + old;
  shape.jowls = Math.max(0, old) * 1.2 + Math.max(0, shape.jowls) * 0.5;
  shape.mouthCorners -= 0.7 * old;
  shape.epicanthus = Math.max(0, shape.epicanthus);
  shape.chinCleft = Math.max(0, shape.chinCleft - 0.6) * (0.5 + 0.5 * masculinity);
  shape.noseHump = shape.noseHump * 0.8;
  return shape;
}

function hairStyleOf(random: Random, masculinity: number, age: number, curl: number): HairStyle {
  if (masculinity > 0.5) {
    if (random.chance(clamp((age - 28) / 90, 0, 0.4))) return random.pick(['bald', 'fringe-of-hair', 'buzz']);
    if (curl > 0.72) return random.pick(['buzz', 'buzz', 'afro', 'curly', 'bald', 'short']);
    return random.pick([
      'short',
      'side-part',
      'quiff',
      'buzz',
      'swept-back',
      'bangs',
      'curly',
      'long',
      'short',
      'side-part',
    ]);
  }
  if (curl > 0.72) return random.pick(['afro', 'bun', 'curly', 'long', 'wavy', 'swept-back', 'buzz']);
  return random.pick(['long', 'wavy', 'bob', 'bangs', 'bun', 'side-part', 'long', 'wavy', 'swept-back', 'curly']);
}

function beardStyleOf(random: Random, masculinity: number): BeardStyle {
  if (masculinity < 0.55 || random.chance(0.4)) return 'none';
  return random.pick(['stubble', 'stubble', 'moustache', 'goatee', 'full', 'full', 'chin-curtain']);
}

const clothColours: readonly [Colour, ...Colour[]] = [
  srgb(28, 30, 36),
  srgb(236, 234, 228),
  srgb(42, 58, 92),
  srgb(120, 30, 36),
  srgb(62, 84, 66),
  srgb(150, 150, 150),
  srgb(196, 170, 130),
  srgb(90, 120, 160),
  srgb(200, 96, 60),
  srgb(94, 66, 110),
  srgb(210, 180, 60),
  srgb(70, 60, 50),
  srgb(170, 200, 210),
  srgb(220, 160, 170),
];

/** Default spread of a seed's person. */
export const usualSpread = (seed: number): number => (isWide(seed) ? wideSpread : defaultSpread);

/** The person of a seed. @param worn instead of what the person has on as drawn */
export function traitsOf(seed: number, spread = usualSpread(seed), worn: Worn = {}): Traits {
  const drawn = drawnTraits(seed, spread);
  const traits = isWide(seed) ? widened(drawn) : drawn;
  const { glasses = traits.glasses.style, headwear = traits.headwear.style, mask = traits.mask } = worn;
  return {
    ...traits,
    mask,
    glasses: { ...traits.glasses, style: glasses },
    headwear: { ...traits.headwear, style: headwear },
  };
}

function drawnTraits(seed: number, spread: number) {
  const random = new Random(seed, 'traits');
  const population = random.pick(populations);
  const masculinity = clamp(random.chance(0.5) ? random.range(0.65, 1.1) : random.range(-0.1, 0.35), 0, 1);
  const age = clamp(18 + 62 * random.next() ** 1.15, 18, 80);
  const usual = {} as Record<ShapeHandle, number>;
  for (const name of shapeHandles) usual[name] = (population.means[name] ?? 0) + spread * random.normal();
  const shape = shapeOf(isWide(seed) ? wideShape(seed, spread) : usual, masculinity, age);
  const tone = random.range(population.tone[0], population.tone[1]);
  const curl = random.range(population.curl[0], population.curl[1]);
  const undertone = population.undertone + 0.6 * random.normal();
  const fair = random.chance(population.fairHair);
  const colour = fair ? random.pick(hairColours.fair) : random.pick(hairColours.dark);
  const greying = clamp((age - 38) / 35 + 0.35 * random.normal(), 0, 1) * (random.chance(0.75) ? 1 : 0.1);
  const dyed = random.chance(0.04) ? random.pick(hairColours.dyed) : colour;
  const style = hairStyleOf(random, masculinity, age, curl);
  const old = clamp((age - 25) / 50, 0, 1);
  const feminine = masculinity < 0.5;
  const grey = srgb(168, 166, 163);
  const browGrey = greying * 0.6;
  const browColour: Colour = [0, 1, 2].map(
    (k) => (colour[k] ?? 0) * (1 - browGrey) * (fair ? 0.55 : 0.8) + (grey[k] ?? 0) * browGrey,
  ) as unknown as Colour;
  return {
    seed,
    /** Distance of the shape from the average: 1 as in real people. */
    spread,
    ageYears: age,
    masculinity,
    shape,
    skin: {
      albedo: skinAlbedo(tone, undertone, 1 + 0.08 * random.normal()),
      tone,
      redness: clamp(0.35 + 0.3 * random.normal(), 0, 1.2) * (1 - 0.5 * tone),
      blotches: random.range(0.15, 1) * (0.6 + 0.6 * old),
      freckles: random.chance(0.25) ? random.range(0.2, 1) * (1 - tone) ** 1.3 : 0,
      moles: random.chance(0.6) ? random.integer(6) : 0,
      eyeCircles: clamp(0.35 + 0.3 * random.normal() + 0.3 * old, 0, 1.2),
      wrinkles: clamp(old ** 1.4 + 0.2 * random.normal(), 0, 1.1),
      shine: random.range(0.2, 1),
      scars: random.chance(0.15) ? 1 + random.integer(2) : 0,
      lipRed: random.range(0.15, 1),
      lipstick:
        feminine && random.chance(0.4)
          ? random.pick([srgb(170, 40, 52), srgb(190, 84, 92), srgb(120, 36, 50), srgb(205, 110, 100)])
          : null,
      eyeMakeUp: feminine && random.chance(0.55) ? random.range(0.3, 1) : 0,
      /** Regions lighter, darker or redder than the rest. */
      patches: [] as readonly SkinPatch[],
    },
    brows: {
      thickness: clamp(1 + 0.45 * random.normal() + (masculinity - 0.5) * 0.8, 0.25, 2.6),
      density: clamp(0.75 + 0.25 * random.normal(), 0.15, 1),
      arch: random.normal(),
      slant: random.normal(),
      length: random.range(0.8, 1.1),
      joined: masculinity > 0.5 && random.chance(0.12) ? random.range(0.3, 0.9) : 0,
      height: random.normal(),
      colour: browColour,
    },
    eyes: {
      iris: random.chance(population.fairEyes) ? random.pick(irisColours.fair) : random.pick(irisColours.dark),
      irisSize: random.range(0.92, 1.1),
      lashes: feminine ? random.range(0.5, 1) : random.range(0.15, 0.6),
    },
    hair: {
      style,
      colour: dyed,
      greying: dyed === colour ? greying : 0,
      curl,
      volume: random.range(0.25, 1),
      length: random.range(0.1, 1),
      hairline: random.normal(),
      recession: masculinity > 0.5 ? clamp(old * random.range(0, 1.6), 0, 1.3) : random.range(0, 0.25),
      parting: random.range(-1, 1),
      shine: random.range(0.2, 1),
    },
    beard: {
      style: beardStyleOf(random, masculinity),
      length: random.range(0.1, 1),
      density: random.range(0.55, 1),
      shadow: masculinity > 0.5 ? random.range(0, 0.8) * (1 - 0.35 * tone) : 0,
    },
    glasses: {
      style: random.chance(0.3)
        ? random.pick<GlassesStyle>(['round', 'rectangle', 'browline', 'thin', 'oversize'])
        : 'none',
      colour: random.pick([
        srgb(18, 18, 20),
        srgb(60, 36, 22),
        srgb(120, 110, 100),
        srgb(30, 40, 70),
        srgb(110, 26, 30),
        srgb(160, 130, 80),
      ]),
      thickness: random.range(0.7, 1.5),
      tint: random.chance(0.2) ? random.range(0.1, 0.35) : 0.03,
    },
    headwear: {
      style: random.chance(0.09) ? (feminine && random.chance(0.7) ? 'headscarf' : 'beanie') : 'none',
      colour: random.pick(clothColours),
    },
    mask: false as boolean,
    ears: { size: clamp(1 + 0.1 * random.normal() + 0.08 * old, 0.75, 1.35), flare: random.range(0.2, 1) },
    body: {
      neckWidth: clamp(1 + 0.07 * random.normal() + (masculinity - 0.5) * 0.18, 0.78, 1.25),
      shoulderWidth: clamp(1 + 0.06 * random.normal() + (masculinity - 0.5) * 0.14, 0.82, 1.2),
      collar: random.pick<CollarStyle>(['crew', 'crew', 'v', 'shirt', 'shirt', 'turtleneck']),
      pattern: random.pick<ClothPattern>(['plain', 'plain', 'plain', 'stripes', 'check', 'speckle']),
      colours: [random.pick(clothColours), random.pick(clothColours)] as const,
    },
    cranium: {
      width: clamp(1 + 0.035 * random.normal(), 0.9, 1.12),
      height: clamp(1 + 0.045 * random.normal(), 0.88, 1.14),
      depth: clamp(1 + 0.04 * random.normal(), 0.9, 1.12),
    },
    asymmetry: random.range(0.3, 1),
  };
}
