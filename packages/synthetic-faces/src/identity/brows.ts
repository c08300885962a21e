import { bell, clamp, lerp, smoothstep } from '../math.ts';
import { noise2 } from '../random.ts';
import type { SkinCanvas } from './skin-texture.ts';
import type { Traits } from './traits.ts';

/** Brows as many short hairs: dense at the root line, thinning out at the ends, leaning outwards along the brow. */
export function paintBrows({ layout, colour, height }: SkinCanvas, traits: Traits): void {
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
