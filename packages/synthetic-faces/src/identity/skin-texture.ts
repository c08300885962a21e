import { bell, clamp, lerp, smoothstep } from '../math.ts';
import { noise2 } from '../random.ts';
import { backOfHead, skinCoats, type Texel } from './skin-coats.ts';
import { type SkinLayout, skinLayout } from './skin-layout.ts';
import { paintMarks } from './skin-marks.ts';
import type { Traits } from './traits.ts';

/** Brows as many short hairs: dense at the root line, thinning out at the ends, leaning outwards along the brow. */
function paintBrows({ layout, colour, height }: SkinCanvas, traits: Traits): void {
  const { brows, seed } = traits;
  const { rest, size } = layout;
  const salt = (Math.imul(seed, 40503) + 977) | 0;
  const inner = 1.05 - 0.9 * brows.joined;
  const reach = 5.15 * brows.length;
  for (let i = 0; i < size * size; i++) {
    const [x, y, z] = [rest[i * 3] as number, rest[i * 3 + 1] as number, rest[i * 3 + 2] as number];
    if (Number.isNaN(x) || z < 1.5 || y < 2.8 || y > 7) continue;
    const ax = Math.abs(x);
    const s = (ax - inner) / (reach + 1.05 - inner);
    if (s < -0.06 || s > 1.04) continue;
    const arch = 0.78 + 0.16 * brows.arch;
    const centre =
      4.42 +
      0.22 * brows.height +
      arch * Math.sin(Math.PI * clamp(s, 0, 1) ** 0.85 * 0.92) ** 1.2 * 0.75 +
      0.3 * brows.slant * (s - 0.45) -
      0.55 * smoothstep(0.62, 1.05, s);
    const half = 0.36 * brows.thickness * (s < 0.15 ? lerp(0.75, 1, s / 0.15) : 1 - 0.82 * smoothstep(0.35, 1.02, s));
    const t = (y - centre) / half;
    if (Math.abs(t) > 1.9) continue;
    const side = x < 0 ? 0 : 5000;
    // Hairs point up at the inner end and outwards further on.
    const lean = lerp(0.35, 1.7, smoothstep(0, 0.5, s));
    const across = ax * 1 - (y - centre) * lean;
    const strands =
      noise2(across * 10 + side, (y - centre) * 1.6, salt) * 0.6 +
      noise2(across * 21 + side, (y - centre) * 3, salt + 5) * 0.4;
    const body = bell((t / 0.72) ** 4) * smoothstep(-0.06, 0.08, s) * smoothstep(1.04, 0.85, s);
    const bridge = s < 0.12 ? lerp(brows.joined > 0 ? 0.6 : 0.75, 1, clamp(s / 0.12, 0, 1)) : 1;
    const cover = clamp(body * bridge * brows.density * (1.3 + 0.8 * strands), 0, 0.96);
    if (cover < 0.01) continue;
    for (let k = 0; k < 3; k++) colour[i * 3 + k] = lerp(colour[i * 3 + k] as number, brows.colour[k] as number, cover);
    height[i] = (height[i] as number) + 0.05 * cover * strands;
  }
}

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

/**
 * Paints the skin of one person: tone, blotches, redness, lips, lids, brows, freckles, moles, wrinkles, stubble, pores.
 */
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
  const { size, rest } = layout;
  const coats = skinCoats(traits, layout);
  const back = backOfHead(traits);
  const texel: Texel = { i: 0, column: 0, row: 0, x: 0, y: 0, z: 0, ax: 0, r: 0, g: 0, b: 0, shine: 0, relief: 0 };
  for (let i = 0; i < size * size; i++) {
    texel.x = rest[i * 3] as number;
    if (Number.isNaN(texel.x)) continue;
    texel.i = i;
    texel.column = i % size;
    texel.row = Math.floor(i / size);
    texel.y = rest[i * 3 + 1] as number;
    texel.z = rest[i * 3 + 2] as number;
    texel.ax = Math.abs(texel.x);
    if (texel.z < -5) back(texel);
    else for (const coat of coats) coat(texel);
    colour[i * 3] = clamp(texel.r, 0.004, 0.97);
    colour[i * 3 + 1] = clamp(texel.g, 0.003, 0.97);
    colour[i * 3 + 2] = clamp(texel.b, 0.003, 0.97);
    gloss[i] = texel.shine;
    height[i] = texel.relief;
  }
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
