import { headTopology } from '../geometry/head-mesh.ts';
import { bell, clamp, hypot2, lerp, smoothstep } from '../math.ts';
import { noise2 } from '../random.ts';
import { beardDensity, hairDepth } from './hair-fields.ts';
import { skinLayout, skinTextureSize } from './skin-layout.ts';
import type { Traits } from './traits.ts';

/**
 * Hair that follows the head: some copies of the scalp, each further out, each with fewer strands left standing. J.
 * Kajiya and T. Kay, “Rendering Fur with Three Dimensional Textures”, 1989, in its polygonal form (J. Lengyel, 2000).
 */
export interface ShellField {
  /** Strand strength by skin-texture coordinates: a layer exists where it exceeds the layer's threshold. */
  readonly strands: Float32Array;
  /** Height of the outermost layer above each coarse vertex, in units. */
  readonly lift: Float32Array;
  /** Droop of the outermost layer, in units. */
  readonly droop: number;
  readonly triangles: Uint32Array;
  readonly layers: number;
}

const fieldSize = skinTextureSize;

/** Lays out a field over the skin texture: `value(x, y, z, u, v)` at each texel that shows the head, −1 elsewhere. */
export function paintField(value: (x: number, y: number, z: number, u: number, v: number) => number): Float32Array {
  const { rest, size } = skinLayout();
  const out = new Float32Array(fieldSize * fieldSize).fill(-1);
  const step = size / fieldSize;
  for (let j = 0; j < fieldSize; j++) {
    for (let i = 0; i < fieldSize; i++) {
      const texel = Math.floor((j + 0.5) * step) * size + Math.floor((i + 0.5) * step);
      const x = rest[texel * 3] as number;
      if (Number.isNaN(x)) continue;
      out[j * fieldSize + i] = value(
        x,
        rest[texel * 3 + 1] as number,
        rest[texel * 3 + 2] as number,
        (i + 0.5) / fieldSize,
        (j + 0.5) / fieldSize,
      );
    }
  }
  return out;
}

/** Nearest value of a painted field at texture coordinates. */
export function lookUpField(field: Float32Array, u: number, v: number): number {
  const x = (u * fieldSize) | 0;
  const y = (v * fieldSize) | 0;
  const column = x < 0 ? 0 : x >= fieldSize ? fieldSize - 1 : x;
  const row = y < 0 ? 0 : y >= fieldSize ? fieldSize - 1 : y;
  return field[row * fieldSize + column] as number;
}

/** Triangles of the coarse head with a vertex to keep. */
export function trianglesWhere(keep: (vertex: number) => boolean): Uint32Array {
  const { triangles } = headTopology().coarse;
  const kept: number[] = [];
  for (let t = 0; t < triangles.length; t += 3) {
    const [a, b, c] = [triangles[t] as number, triangles[t + 1] as number, triangles[t + 2] as number];
    if (keep(a) || keep(b) || keep(c)) kept.push(a, b, c);
  }
  return Uint32Array.from(kept);
}

/** Height of the hair above the scalp for a style. */
function scalpLift(x: number, y: number, z: number, depth: number, hair: Traits['hair'], salt: number): number {
  const top = smoothstep(5.5, 10.5, y);
  const frontTop = top * smoothstep(-4, 3.5, z);
  const v = hair.volume;
  const rise = (width: number): number => smoothstep(-0.1, width, depth);
  const lump = noise2(x * 0.35, (y + z) * 0.35, salt);
  switch (hair.style) {
    case 'bald':
      return 0;
    case 'buzz':
      return 0.22 * rise(0.4);
    case 'fringe-of-hair':
      return (0.35 + 0.5 * v) * rise(0.8);
    case 'short':
      return (lerp(0.45, 0.9 + 0.9 * v, top) + 0.2 * lump) * rise(0.9);
    case 'side-part': {
      const part = hair.parting < 0 ? -1 : 1;
      const groove = bell(((x - part * 3.4) / 0.5) ** 2) * top;
      const sweep = smoothstep(part * 3.4, part * -3, x);
      return (lerp(0.5, 1 + 1.4 * v + 0.7 * sweep * v, top) + 0.25 * lump) * rise(0.9) * (1 - 0.75 * groove);
    }
    case 'quiff':
      return (
        (lerp(0.35, 0.9 + 0.5 * v, top) + (0.9 + 2 * v) * frontTop * bell((x / 4.6) ** 2) + 0.3 * lump) * rise(0.7)
      );
    case 'swept-back':
      return (0.5 + 0.8 * v * top + 0.15 * lump) * rise(1.2);
    case 'curly':
      return (lerp(0.9, 1.5 + 1.6 * v, top) + 0.7 * noise2(x * 0.8, (y - z) * 0.8, salt + 3)) * rise(0.7);
    case 'afro':
      return (2.2 + 3.6 * v + 0.35 * noise2(x * 0.9, (y - z) * 0.9, salt + 3)) * rise(1.3);
    case 'bun':
      return (0.35 + 0.35 * v) * rise(1);
    case 'bangs':
      return (lerp(1, 1.3 + 0.9 * v, top) + 0.1 * lump) * rise(0.6);
    default:
      return (lerp(1, 1 + 1.3 * v, top) + 0.2 * lump) * rise(1);
  }
}

/** Strand pattern: long streaks from the forehead over the crown, or curls. */
function strandPattern(u: number, v: number, curl: number, salt: number): number {
  const [du, dv] = [u - 0.5, v - 0.47];
  const angle = Math.atan2(du, -dv);
  const r = hypot2(du, dv);
  const wave = curl * 0.05 * Math.sin(r * 160 + 5 * noise2(angle * 6, r * 8, salt + 2));
  const streak =
    0.5 * noise2((angle + wave) * 110, r * 9, salt) +
    0.35 * noise2((angle + wave) * 46, r * 6, salt + 1) +
    0.25 * noise2((angle + wave) * 12, r * 4, salt + 3);
  if (curl < 0.35) return streak;
  const curls = 0.75 * noise2(u * 74, v * 74, salt + 4) + 0.4 * noise2(u * 34, v * 34, salt + 5);
  return lerp(streak, curls, smoothstep(0.35, 0.8, curl));
}

const edgeSoftness: Partial<Record<Traits['hair']['style'], number>> = { buzz: 0.5, bangs: 0.55, afro: 0.8 };

export function hairShells(traits: Traits): ShellField | null {
  const { hair } = traits;
  if (hair.style === 'bald') return null;
  const salt = (Math.imul(traits.seed, 69069) + 12345) | 0;
  const { restCoarse } = headTopology();
  const count = restCoarse.length / 3;
  const lift = new Float32Array(count);
  const inside = new Uint8Array(count);
  for (let i = 0; i < count; i++) {
    const [x, y, z] = [restCoarse[i * 3] as number, restCoarse[i * 3 + 1] as number, restCoarse[i * 3 + 2] as number];
    const depth = hairDepth(x, y, z, hair);
    inside[i] = depth > -0.5 ? 1 : 0;
    lift[i] = depth > -0.5 ? scalpLift(x, y, z, depth, hair, salt) : 0;
  }
  const curl =
    hair.style === 'afro' || hair.style === 'curly'
      ? Math.max(0.8, hair.curl)
      : hair.style === 'buzz'
        ? 0.9
        : hair.curl * 0.6;
  const soft = edgeSoftness[hair.style] ?? 0.65;
  const strands = paintField((x, y, z, u, v) => {
    const depth = hairDepth(x, y, z, hair);
    if (depth < -0.8) return -1;
    const ragged = 0.5 * noise2(u * 170, v * 40, salt + 7) + 0.3 * noise2(u * 30, v * 30, salt + 8);
    return strandPattern(u, v, curl, salt) * 0.55 + 0.45 + clamp((depth + ragged) / soft - 0.6, -1.6, 0.35);
  });
  return {
    strands,
    lift,
    droop: 0,
    triangles: trianglesWhere((vertex) => inside[vertex] === 1),
    layers: hair.style === 'buzz' ? 2 : hair.style === 'afro' ? 7 : 5,
  };
}

export function beardShells(traits: Traits): ShellField | null {
  const { beard } = traits;
  if (beard.style === 'none' || beard.style === 'stubble') return null;
  const salt = (Math.imul(traits.seed, 7477) + 991) | 0;
  const { restCoarse } = headTopology();
  const count = restCoarse.length / 3;
  const lift = new Float32Array(count);
  const longest = 0.25 + 0.9 * beard.length;
  for (let i = 0; i < count; i++) {
    const [x, y, z] = [restCoarse[i * 3] as number, restCoarse[i * 3 + 1] as number, restCoarse[i * 3 + 2] as number];
    const density = beardDensity(x, y, z, beard.style);
    lift[i] = density * longest * lerp(0.4, 1, smoothstep(-3, -7.5, y));
  }
  const strands = paintField((x, y, z, u, v) => {
    const density = beardDensity(x, y, z, beard.style);
    if (density <= 0.01) return -1;
    const tufts = 0.6 * noise2(u * 260, v * 120, salt) + 0.4 * noise2(u * 90, v * 45, salt + 1);
    return tufts * 0.6 + 0.05 + 0.9 * density * beard.density;
  });
  return {
    strands,
    lift,
    droop: 0.35 * longest,
    triangles: trianglesWhere((vertex) => (lift[vertex] as number) > 0.01),
    layers: 4,
  };
}

/** Positions of one layer (1 … layers) over the coarse head: Float32Array of the same length as `positions`. */
export function shellLayer(
  field: ShellField,
  layer: number,
  positions: Float32Array,
  normals: Float32Array,
): Float32Array {
  const out = new Float32Array(positions.length);
  const share = layer / field.layers;
  for (let i = 0; i < field.lift.length; i++) {
    const lift = (field.lift[i] as number) * share;
    const at = i * 3;
    for (let k = at; k < at + 3; k++) out[k] = (positions[k] as number) + (normals[k] as number) * (lift + 0.03);
    out[at + 1] =
      (out[at + 1] as number) -
      field.droop * share * ((field.lift[i] as number) > 0 ? 1 : 0) * Math.min(1, field.lift[i] as number);
  }
  return out;
}
