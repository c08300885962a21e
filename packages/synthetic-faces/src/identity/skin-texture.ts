import { bell, clamp, lerp, smoothstep } from '../math.ts';
import { fractal2, latticeHash, noise2 } from '../random.ts';
import { paintBrows } from './brows.ts';
import { type Colour, srgb } from './colours.ts';
import { beardDensity, hairDepth } from './hair-fields.ts';
import { type SkinLayout, skinLayout } from './skin-layout.ts';
import { paintMarks } from './skin-marks.ts';
import type { Traits } from './traits.ts';

/** Numbers a texel: red, green, blue (linear), gloss, and the slopes of the fine relief to the right and down. */
export const skinChannels = 6;

/** Texture pyramid; level k has size ≫ k. */
export interface SkinTexture {
  readonly sizes: readonly number[];
  readonly levels: readonly Float32Array[];
}

/** The texture while it is painted. */
export interface SkinCanvas {
  readonly layout: SkinLayout;
  /** Float32Array[size² × 3], linear. */
  readonly colour: Float32Array;
  readonly gloss: Float32Array;
  /** Fine relief in units; its slopes bend the light. */
  readonly height: Float32Array;
}

const stubbled = new Set<Traits['hair']['style']>([
  'buzz',
  'fringe-of-hair',
  'short',
  'side-part',
  'quiff',
  'swept-back',
]);

/** Paints the skin of one person: tone, blotches, redness, lips, lids, brows, freckles, moles, wrinkles, stubble, pores. */
export function bakeSkin(traits: Traits): SkinTexture {
  const layout = skinLayout();
  const { size } = layout;
  const canvas: SkinCanvas = {
    layout,
    colour: new Float32Array(size * size * 3),
    gloss: new Float32Array(size * size),
    height: new Float32Array(size * size),
  };
  paintGround(canvas, traits);
  paintMarks(canvas, traits);
  paintBrows(canvas, traits);
  return pyramid(canvas);
}

function paintGround({ layout, colour, gloss, height }: SkinCanvas, traits: Traits): void {
  const { size, rest, lips, upperLid, lowerLid, mouthLine } = layout;
  const { skin, hair, beard, seed } = traits;
  const salt = (seed * 2654435761) | 0;
  const light = 1 - skin.tone;
  const lipBase = lipColour(traits);
  const shadowColour: Colour = [0.62 + 0.1 * light, 0.6, 0.66 + 0.1 * light];
  const hairTint =
    hair.style !== 'bald' && stubbled.has(hair.style)
      ? 0.75
      : hair.style === 'bald'
        ? 0.18 * traits.beard.shadow
        : 0.55;
  for (let i = 0; i < size * size; i++) {
    const [x, y, z] = [rest[i * 3] as number, rest[i * 3 + 1] as number, rest[i * 3 + 2] as number];
    if (Number.isNaN(x)) continue;
    const [tx, ty] = [i % size, Math.floor(i / size)];
    const ax = Math.abs(x);
    let [r, g, b] = skin.albedo;

    const broad = fractal2(tx / 95, ty / 95, 2, salt);
    const blotch = fractal2(tx / 30, ty / 30, 3, salt + 11);
    const fine = noise2(tx / 6, ty / 6, salt + 23);
    const pore = noise2(tx / 2.1, ty / 2.1, salt + 31);
    const tone = 1 + skin.blotches * (0.1 * broad + 0.09 * blotch) + 0.03 * fine + 0.025 * pore;
    const warm = skin.blotches * 0.05 * noise2(tx / 60, ty / 60, salt + 47);
    r *= tone * (1 + warm * 0.6);
    g *= tone * (1 - warm * 0.3);
    b *= tone * (1 - warm);

    // Blood near the surface: cheeks, nose, chin, ears' side; more with the trait.
    const flush =
      bell(((ax - 4.1) / 1.7) ** 2 + ((y + 0.9) / 1.5) ** 2) * 0.9 +
      bell((x / 1.5) ** 2 + ((y + 0.8) / 1.1) ** 2) * smoothstep(4.5, 6, z) +
      0.35 * bell((x / 2.2) ** 2 + ((y + 8) / 1.3) ** 2) +
      0.4 * smoothstep(-1, -3.5, z) * smoothstep(5, 2, y);
    const red = skin.redness * flush * (0.75 + 0.5 * noise2(tx / 22, ty / 22, salt + 53));
    g *= 1 - 0.3 * clamp(red, 0, 1.4);
    b *= 1 - 0.26 * clamp(red, 0, 1.4);

    // Hollows under the eyes and the darker lids.
    const circles = bell(((ax - 2.75) / 1.25) ** 2 + ((y - 1.45) / 0.62) ** 2);
    const lid = smoothstep(1.1, 0.15, upperLid[i] as number) * smoothstep(2.5, 2.9, y);
    const dark = clamp(skin.eyeCircles * 0.36 * circles + (0.12 + 0.16 * skin.eyeCircles) * lid, 0, 0.6);
    r *= 1 - dark * (1 - shadowColour[0] * 0.6);
    g *= 1 - dark * (1 - shadowColour[1] * 0.4);
    b *= 1 - dark * (1 - shadowColour[2] * 0.5);
    if (skin.eyeMakeUp > 0 && lid > 0) {
      const shade = skin.eyeMakeUp * lid * 0.45;
      r *= 1 - shade * 0.8;
      g *= 1 - shade;
      b *= 1 - shade * 0.8;
    }

    let shine =
      0.35 +
      skin.shine *
        0.45 *
        Math.max(bell((x / 1.3) ** 2 + ((y - 0.8) / 2.8) ** 2), bell((x / 4) ** 2 + ((y - 6.2) / 1.4) ** 2));
    height[i] = 0.011 * pore + 0.012 * fine + 0.02 * skin.wrinkles * noise2(tx / 4, ty / 11, salt + 61);

    // Beard shadow and stubble, then the roots of the scalp's hair.
    const beardHere = Math.max(
      beardDensity(x, y, z, beard.style) * beard.density,
      beardDensity(x, y, z, 'full') * beard.shadow * 0.45,
    );
    if (beardHere > 0.01) {
      const dots = smoothstep(0.35, 0.85, latticeHash(tx, ty, salt + 71) * 0.6 + 0.5 * beardHere);
      const strength =
        beardHere * (beard.style === 'stubble' ? 0.55 : beard.style === 'none' ? 0.36 : 0.7) * (0.55 + 0.45 * dots);
      r = lerp(r, hair.colour[0] * 0.8 + 0.02, strength);
      g = lerp(g, hair.colour[1] * 0.8 + 0.024, strength * 0.97);
      b = lerp(b, hair.colour[2] * 0.8 + 0.03, strength * 0.92);
      shine *= 1 - 0.7 * beardHere;
    }
    const depth = hairDepth(x, y, z, hair) + 0.35 * noise2(tx / 5, ty / 5, salt + 83);
    const roots = smoothstep(-0.25, 0.75, depth) * hairTint * (0.8 + 0.2 * latticeHash(tx, ty, salt + 89));
    if (roots > 0) {
      r = lerp(r, hair.colour[0], roots);
      g = lerp(g, hair.colour[1], roots);
      b = lerp(b, hair.colour[2], roots);
      shine *= 1 - 0.8 * roots;
    }

    const lip = lips[i] as number;
    if (lip > 0) {
      const crease = 1 + 0.12 * noise2(x * 5.5, y * 1.2, salt + 97);
      const amount = lip * (skin.lipstick ? 0.92 : 0.55 + 0.4 * skin.lipRed);
      r = lerp(r, lipBase[0] * crease, amount);
      g = lerp(g, lipBase[1] * crease, amount);
      b = lerp(b, lipBase[2] * crease, amount);
      shine = lerp(shine, 0.85, lip);
      height[i] = (height[i] as number) + 0.02 * lip * noise2(x * 7, y * 1.3, salt + 101);
    }
    const line = mouthLine[i] as number;
    if (line < 0.18) {
      const inside = smoothstep(0.18, -0.05, line);
      r *= 1 - 0.72 * inside;
      g *= 1 - 0.85 * inside;
      b *= 1 - 0.82 * inside;
    }

    // Lash lines and the wet rim inside the opening.
    const [upper, lower] = [upperLid[i] as number, lowerLid[i] as number];
    if (upper < 2 || lower < 2) {
      const inside = upper < 0 && lower < 0;
      const nearUpper = Math.abs(upper) < Math.abs(lower);
      const lash =
        (0.35 + 0.6 * traits.eyes.lashes) *
        smoothstep(0.16 + 0.1 * traits.eyes.lashes + 0.12 * skin.eyeMakeUp, 0.03, Math.abs(upper));
      const lowLash = 0.4 * (traits.eyes.lashes + skin.eyeMakeUp * 0.6) * smoothstep(0.12, 0.02, Math.abs(lower));
      const strokes = 0.7 + 0.3 * noise2(x * 9, y * 2, salt + 103);
      const lashes = clamp(Math.max(lash * strokes, lowLash * strokes), 0, 0.95);
      if (inside && !nearUpper) {
        r = lerp(r, 0.5 * r + 0.22, 0.6);
        g = lerp(g, 0.45 * g + 0.1, 0.6);
        b = lerp(b, 0.45 * b + 0.09, 0.6);
        shine = 1;
      }
      r *= 1 - lashes;
      g *= 1 - lashes;
      b *= 1 - lashes * 0.98;
    }

    // Nostrils.
    const nostril = bell(((ax - 0.78) / 0.33) ** 2 + ((y + 1.62) / 0.2) ** 2 + ((z - 5.85) / 0.5) ** 2);
    const dim = 1 - 0.88 * smoothstep(0.25, 0.75, nostril);
    colour[i * 3] = clamp(r * dim, 0.004, 0.97);
    colour[i * 3 + 1] = clamp(g * dim * dim, 0.003, 0.97);
    colour[i * 3 + 2] = clamp(b * dim * dim, 0.003, 0.97);
    gloss[i] = shine;
  }
}

function lipColour({ skin }: Traits): Colour {
  if (skin.lipstick) return skin.lipstick;
  const [r, g, b] = skin.albedo;
  const rose = srgb(178, 84, 82);
  const amount = 0.2 + 0.5 * skin.lipRed * (1 - 0.65 * skin.tone);
  return [lerp(r * 0.86, rose[0], amount), lerp(g * 0.6, rose[1], amount), lerp(b * 0.62, rose[2], amount)];
}

function pyramid({ layout, colour, gloss, height }: SkinCanvas): SkinTexture {
  const { size, rest } = layout;
  const full = new Float32Array(size * size * skinChannels);
  // Texels a unit on the front of the face, from the canonical texture's own scale.
  const texelsPerUnit = size * 0.046;
  for (let y = 0; y < size; y++) {
    for (let x = 0; x < size; x++) {
      const i = y * size + x;
      const at = i * skinChannels;
      if (Number.isNaN(rest[i * 3])) continue;
      const right = x + 1 < size && !Number.isNaN(rest[(i + 1) * 3]) ? i + 1 : i;
      const down = y + 1 < size && !Number.isNaN(rest[(i + size) * 3]) ? i + size : i;
      full[at] = colour[i * 3] as number;
      full[at + 1] = colour[i * 3 + 1] as number;
      full[at + 2] = colour[i * 3 + 2] as number;
      full[at + 3] = gloss[i] as number;
      full[at + 4] = ((height[right] as number) - (height[i] as number)) * texelsPerUnit;
      full[at + 5] = ((height[down] as number) - (height[i] as number)) * texelsPerUnit;
    }
  }
  spreadEdges(full, rest, size);
  const sizes = [size];
  const levels = [full];
  for (let level = 0; level < 3; level++) {
    const [from, above] = [levels[level] as Float32Array, sizes[level] as number];
    const half = above >> 1;
    const next = new Float32Array(half * half * skinChannels);
    for (let y = 0; y < half; y++) {
      for (let x = 0; x < half; x++) {
        for (let k = 0; k < skinChannels; k++) {
          const at = (2 * y * above + 2 * x) * skinChannels + k;
          const below = at + above * skinChannels;
          next[(y * half + x) * skinChannels + k] =
            ((from[at] as number) +
              (from[at + skinChannels] as number) +
              (from[below] as number) +
              (from[below + skinChannels] as number)) /
            4;
        }
      }
    }
    sizes.push(half);
    levels.push(next);
  }
  return { sizes, levels };
}

/** Repeats the nearest painted texel of a row outwards, so that filtering at the rim finds skin. */
function spreadEdges(full: Float32Array, rest: Float32Array, size: number): void {
  for (let y = 0; y < size; y++) {
    for (const [start, end, step] of [
      [0, size, 1],
      [size - 1, -1, -1],
    ] as const) {
      let last = -1;
      for (let x = start; x !== end; x += step) {
        const i = y * size + x;
        if (!Number.isNaN(rest[i * 3])) last = i;
        else if (last >= 0 && (full[i * skinChannels] as number) === 0) {
          full.copyWithin(i * skinChannels, last * skinChannels, (last + 1) * skinChannels);
        }
      }
    }
  }
}
