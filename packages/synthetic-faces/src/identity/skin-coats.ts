import { bell, clamp, lerp, smoothstep } from '../math.ts';
import { fractal2, latticeHash, noise2 } from '../random.ts';
import { type Colour, srgb } from './colours.ts';
import { beardDensity, hairDepth } from './hair-fields.ts';
import type { SkinLayout } from './skin-layout.ts';
import type { Traits } from './traits.ts';

/** The texel being painted; one object is reused for all texels. */
export interface Texel {
  /** Index, column and row in the texture. */
  i: number;
  column: number;
  row: number;
  /** Place on the average head, canonical units, and the distance from the middle plane. */
  x: number;
  y: number;
  z: number;
  ax: number;
  r: number;
  g: number;
  b: number;
  shine: number;
  /** Fine relief in units. */
  relief: number;
}

/** What paints a texel: one layer of a face, with all it needs of the person bound. */
type Coat = (texel: Texel) => void;

const stubbledStyles = new Set<Traits['hair']['style']>([
  'buzz',
  'fringe-of-hair',
  'short',
  'side-part',
  'quiff',
  'swept-back',
]);

/** How much of the hair's colour the scalp shows. */
function scalpTint({ hair, beard }: Traits): number {
  if (hair.style === 'bald') return 0.18 * beard.shadow;
  return stubbledStyles.has(hair.style) ? 0.75 : 0.55;
}

/** The back of the head: under hair, or bare and far from the camera. */
export function backOfHead(traits: Traits): Coat {
  const { skin, hair } = traits;
  const tint = scalpTint(traits);
  return (t) => {
    const scalp = smoothstep(-0.25, 0.75, hairDepth(t.x, t.y, t.z, hair)) * tint;
    t.r = lerp(skin.albedo[0], hair.colour[0], scalp);
    t.g = lerp(skin.albedo[1], hair.colour[1], scalp);
    t.b = lerp(skin.albedo[2], hair.colour[2], scalp);
    t.shine = 0.3;
    t.relief = 0;
  };
}

/** The coats of the front of a head, bottom to top. */
export function skinCoats(traits: Traits, layout: SkinLayout): readonly Coat[] {
  const salt = (traits.seed * 2654435761) | 0;
  return [
    complexion(traits, salt),
    blood(traits, salt),
    eyeHollows(traits, layout),
    oil(traits),
    beardRoots(traits, salt),
    hairRoots(traits, salt),
    lips(traits, layout, salt),
    mouthLine(layout),
    lashes(traits, layout, salt),
    nostrils,
  ];
}

/** Tone with blotches of several sizes, pores and the relief that age roughens. */
function complexion({ skin }: Traits, salt: number): Coat {
  return (t) => {
    const broad = fractal2(t.column / 95, t.row / 95, 2, salt);
    const blotch = fractal2(t.column / 30, t.row / 30, 3, salt + 11);
    const fine = noise2(t.column / 6, t.row / 6, salt + 23);
    const pore = noise2(t.column / 2.1, t.row / 2.1, salt + 31);
    const tone = 1 + skin.blotches * (0.1 * broad + 0.09 * blotch) + 0.03 * fine + 0.025 * pore;
    const warm = skin.blotches * 0.05 * noise2(t.column / 60, t.row / 60, salt + 47);
    t.r = skin.albedo[0] * (tone * (1 + warm * 0.6));
    t.g = skin.albedo[1] * (tone * (1 - warm * 0.3));
    t.b = skin.albedo[2] * (tone * (1 - warm));
    t.relief = 0.011 * pore + 0.012 * fine + 0.02 * skin.wrinkles * noise2(t.column / 4, t.row / 11, salt + 61);
  };
}

/** Blood near the surface: cheeks, nose, chin and towards the ears. */
function blood({ skin }: Traits, salt: number): Coat {
  return (t) => {
    const { x, y, z, ax } = t;
    const flush =
      bell(((ax - 4.1) / 1.7) ** 2 + ((y + 0.9) / 1.5) ** 2) * 0.9 +
      bell((x / 1.5) ** 2 + ((y + 0.8) / 1.1) ** 2) * smoothstep(4.5, 6, z) +
      0.35 * bell((x / 2.2) ** 2 + ((y + 8) / 1.3) ** 2) +
      0.4 * smoothstep(-1, -3.5, z) * smoothstep(5, 2, y);
    const red = skin.redness * flush * (0.75 + 0.5 * noise2(t.column / 22, t.row / 22, salt + 53));
    t.g *= 1 - 0.3 * clamp(red, 0, 1.4);
    t.b *= 1 - 0.26 * clamp(red, 0, 1.4);
  };
}

/** Hollows under the eyes, the darker lids, and eye shadow. */
function eyeHollows({ skin }: Traits, { upperLid }: SkinLayout): Coat {
  const light = 1 - skin.tone;
  const shadow: Colour = [0.62 + 0.1 * light, 0.6, 0.66 + 0.1 * light];
  return (t) => {
    const circles = bell(((t.ax - 2.75) / 1.25) ** 2 + ((t.y - 1.45) / 0.62) ** 2);
    const lid = smoothstep(1.1, 0.15, upperLid[t.i] as number) * smoothstep(2.5, 2.9, t.y);
    const dark = clamp(skin.eyeCircles * 0.36 * circles + (0.12 + 0.16 * skin.eyeCircles) * lid, 0, 0.6);
    t.r *= 1 - dark * (1 - shadow[0] * 0.6);
    t.g *= 1 - dark * (1 - shadow[1] * 0.4);
    t.b *= 1 - dark * (1 - shadow[2] * 0.5);
    if (skin.eyeMakeUp > 0 && lid > 0) {
      const shade = skin.eyeMakeUp * lid * 0.45;
      t.r *= 1 - shade * 0.8;
      t.g *= 1 - shade;
      t.b *= 1 - shade * 0.8;
    }
  };
}

/** Shine of nose and forehead. */
function oil({ skin }: Traits): Coat {
  return (t) => {
    const nose = bell((t.x / 1.3) ** 2 + ((t.y - 0.8) / 2.8) ** 2);
    const forehead = bell((t.x / 4) ** 2 + ((t.y - 6.2) / 1.4) ** 2);
    t.shine = 0.35 + skin.shine * 0.45 * Math.max(nose, forehead);
  };
}

/** Stubble, the shadow of a shaved beard, and the ground under a long one. */
function beardRoots({ beard, hair }: Traits, salt: number): Coat {
  const depth = beard.style === 'stubble' ? 0.55 : beard.style === 'none' ? 0.36 : 0.7;
  return (t) => {
    const here = Math.max(
      beardDensity(t.x, t.y, t.z, beard.style) * beard.density,
      beardDensity(t.x, t.y, t.z, 'full') * beard.shadow * 0.45,
    );
    if (here <= 0.01) return;
    const dots = smoothstep(0.35, 0.85, latticeHash(t.column, t.row, salt + 71) * 0.6 + 0.5 * here);
    const strength = here * depth * (0.55 + 0.45 * dots);
    t.r = lerp(t.r, hair.colour[0] * 0.8 + 0.02, strength);
    t.g = lerp(t.g, hair.colour[1] * 0.8 + 0.024, strength * 0.97);
    t.b = lerp(t.b, hair.colour[2] * 0.8 + 0.03, strength * 0.92);
    t.shine *= 1 - 0.7 * here;
  };
}

/** Roots of the scalp's hair, ragged at the hairline. */
function hairRoots(traits: Traits, salt: number): Coat {
  const { hair } = traits;
  const tint = scalpTint(traits);
  return (t) => {
    const depth = hairDepth(t.x, t.y, t.z, hair) + 0.35 * noise2(t.column / 5, t.row / 5, salt + 83);
    const roots = smoothstep(-0.25, 0.75, depth) * tint * (0.8 + 0.2 * latticeHash(t.column, t.row, salt + 89));
    if (roots <= 0) return;
    t.r = lerp(t.r, hair.colour[0], roots);
    t.g = lerp(t.g, hair.colour[1], roots);
    t.b = lerp(t.b, hair.colour[2], roots);
    t.shine *= 1 - 0.8 * roots;
  };
}

function lipColour({ skin }: Traits): Colour {
  if (skin.lipstick) return skin.lipstick;
  const [r, g, b] = skin.albedo;
  const rose = srgb(178, 84, 82);
  const amount = 0.2 + 0.5 * skin.lipRed * (1 - 0.65 * skin.tone);
  return [lerp(r * 0.86, rose[0], amount), lerp(g * 0.6, rose[1], amount), lerp(b * 0.62, rose[2], amount)];
}

/** The red of the lips with its fine upright creases. */
function lips(traits: Traits, layout: SkinLayout, salt: number): Coat {
  const { skin } = traits;
  const colour = lipColour(traits);
  return (t) => {
    const lip = layout.lips[t.i] as number;
    if (lip <= 0) return;
    const crease = 1 + 0.12 * noise2(t.x * 5.5, t.y * 1.2, salt + 97);
    const amount = lip * (skin.lipstick ? 0.92 : 0.55 + 0.4 * skin.lipRed);
    t.r = lerp(t.r, colour[0] * crease, amount);
    t.g = lerp(t.g, colour[1] * crease, amount);
    t.b = lerp(t.b, colour[2] * crease, amount);
    t.shine = lerp(t.shine, 0.85, lip);
    t.relief += 0.02 * lip * noise2(t.x * 7, t.y * 1.3, salt + 101);
  };
}

/** The dark line where the lips meet, and the inside of the mouth. */
function mouthLine(layout: SkinLayout): Coat {
  return (t) => {
    const line = layout.mouthLine[t.i] as number;
    if (line >= 0.18) return;
    const inside = smoothstep(0.18, -0.05, line);
    t.r *= 1 - 0.72 * inside;
    t.g *= 1 - 0.85 * inside;
    t.b *= 1 - 0.82 * inside;
  };
}

/** Lash lines, and the wet rim of the lower lid inside the opening. */
function lashes({ eyes, skin }: Traits, { upperLid, lowerLid }: SkinLayout, salt: number): Coat {
  const thickness = 0.16 + 0.1 * eyes.lashes + 0.12 * skin.eyeMakeUp;
  return (t) => {
    const upper = upperLid[t.i] as number;
    const lower = lowerLid[t.i] as number;
    if (upper >= 2 && lower >= 2) return;
    const upperLash = (0.35 + 0.6 * eyes.lashes) * smoothstep(thickness, 0.03, Math.abs(upper));
    const lowerLash = 0.4 * (eyes.lashes + skin.eyeMakeUp * 0.6) * smoothstep(0.12, 0.02, Math.abs(lower));
    const strokes = 0.7 + 0.3 * noise2(t.x * 9, t.y * 2, salt + 103);
    const cover = clamp(Math.max(upperLash * strokes, lowerLash * strokes), 0, 0.95);
    const wetRim = upper < 0 && lower < 0 && Math.abs(upper) >= Math.abs(lower);
    if (wetRim) {
      t.r = lerp(t.r, 0.5 * t.r + 0.22, 0.6);
      t.g = lerp(t.g, 0.45 * t.g + 0.1, 0.6);
      t.b = lerp(t.b, 0.45 * t.b + 0.09, 0.6);
      t.shine = 1;
    }
    t.r *= 1 - cover;
    t.g *= 1 - cover;
    t.b *= 1 - cover * 0.98;
  };
}

const nostrils: Coat = (t) => {
  const nostril = bell(((t.ax - 0.78) / 0.33) ** 2 + ((t.y + 1.62) / 0.2) ** 2 + ((t.z - 5.85) / 0.5) ** 2);
  const dim = 1 - 0.88 * smoothstep(0.25, 0.75, nostril);
  t.r *= dim;
  t.g *= dim * dim;
  t.b *= dim * dim;
};
