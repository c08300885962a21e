import { bell, lerp, smoothstep } from '../math.ts';
import type { Traits } from './traits.ts';

/**
 * How far inside the hair a point of the average head is, in units: positive on the scalp, negative on bare skin.
 * The hairline runs over the forehead, back at the temples, down before the ear and round the nape.
 */
export function hairDepth(x: number, y: number, z: number, hair: Traits['hair']): number {
  const ax = Math.abs(x);
  let line: number;
  if (z > 1.5) line = lerp(6.5, 7.7, smoothstep(1.5, 4.4, z));
  else if (z > -1.4) line = lerp(2.6, 6.5, smoothstep(-1.4, 1.5, z));
  else if (z > -2.7) line = lerp(0.2, 2.6, smoothstep(-2.7, -1.4, z));
  else line = lerp(-5.2, 0.2, smoothstep(-6.5, -2.7, z));
  const front = smoothstep(0.3, 2.5, z);
  line += 0.35 * hair.hairline * front;
  line += hair.recession * front * (2.3 * bell(((ax - 4.2) / 1.5) ** 2) + 0.7 * bell((x / 2.5) ** 2));
  line -= 0.3 * front * bell((x / 0.9) ** 2) * (hair.hairline > 0.8 ? 1 : 0);
  if (hair.style === 'bangs') line -= front * smoothstep(5.6, 4.2, ax) * lerp(1.7, 2.7, hair.length);
  let depth = y - line;
  if (hair.style === 'fringe-of-hair') {
    // Bald on top, hair round the sides and the back.
    const crown = smoothstep(3.2, 6.2, y + 0.12 * Math.min(0, z + 4) - 0.25 * Math.min(0, z));
    depth = Math.min(depth, 1.4 - 3.2 * crown);
    if (z > 0.5) depth = Math.min(depth, -1);
  }
  return depth;
}

/** Density of beard hair at a point of the average face, 0..1. */
export function beardDensity(x: number, y: number, z: number, style: Traits['beard']['style']): number {
  if (z < -4.5) return 0;
  const ax = Math.abs(x);
  const moustache =
    smoothstep(-2.15, -2.5, y) *
    smoothstep(-3.75, -3.35, y + 0.12 * ax) *
    smoothstep(3, 2.3, ax) *
    smoothstep(3.4, 4.2, z);
  const beside =
    smoothstep(1.75, 2.5, ax) * smoothstep(4, 3, ax) * smoothstep(-2.6, -3.3, y) * smoothstep(-6.8, -5.6, y);
  const soul = smoothstep(0.75, 0.35, ax) * smoothstep(-5.45, -5.7, y) * smoothstep(-7, -6.4, y);
  const chin = smoothstep(-6.3, -6.9, y) * smoothstep(3.4, 2.5, ax);
  const cheekLine = lerp(-3.7, -0.2, smoothstep(2.6, 7.2, ax));
  const jaw = smoothstep(cheekLine + 0.5, cheekLine - 0.7, y) * smoothstep(2.4, 3.3, ax) * smoothstep(-3.6, -2.4, z);
  const edge = smoothstep(4.6, 5.8, ax) * smoothstep(0.4, -0.6, y);
  switch (style) {
    case 'none':
      return 0;
    case 'moustache':
      return moustache;
    case 'goatee':
      return Math.max(moustache, chin, beside * smoothstep(3.4, 2.6, ax), soul * 0.8);
    case 'chin-curtain':
      return Math.max(edge, jaw * smoothstep(-5.2, -6.4, y), chin);
    default:
      return Math.max(moustache, chin, jaw, beside, soul * 0.8, edge);
  }
}
