import { craniumCentre, craniumRadii } from '../geometry/head-mesh.ts';
import { gridSurface, joinSurfaces, type Surface } from '../geometry/surface.ts';
import { clamp, lerp, smoothstep } from '../math.ts';
import { noise2 } from '../random.ts';
import type { Traits } from './traits.ts';

interface Curtain {
  readonly surface: Surface;
  /** 0 innermost … 1 outermost. */
  readonly depth: number;
}

const hanging = new Set<Traits['hair']['style']>(['bob', 'bangs', 'long', 'wavy']);

export const coversEars = (traits: Traits): boolean =>
  hanging.has(traits.hair.style) || traits.headwear.style !== 'none' || traits.hair.style === 'afro';

/** Hair that hangs down from the head: sheets round the back and the sides, open at the face. */
export function longHair(traits: Traits): readonly Curtain[] {
  const { hair, cranium, seed } = traits;
  if (!hanging.has(hair.style) || traits.headwear.style === 'headscarf') return [];
  const salt = (Math.imul(seed, 31337) + 5) | 0;
  const length =
    hair.style === 'bob' || hair.style === 'bangs' ? lerp(-5.5, -10, hair.length) : lerp(-12, -24, hair.length);
  const waves = hair.style === 'wavy' ? 0.75 : 0.18 + 0.4 * hair.curl;
  const open = lerp(1.75, 2.12, clamp(0.5 + 0.25 * hair.hairline + 0.3 * hair.volume, 0, 1));
  return [0, 0.5, 1].map((depth) => {
    const surface = gridSurface(56, 26, (u, v) => {
      // From the viewer's right round the back to the left, so that the outside faces away from the head.
      const side = (0.5 - u) * 2;
      const angle = -side * open * (1 - 0.05 * (1 - depth));
      const y = lerp(6.2, length + 1.2 * noise2(u * 9, depth * 3, salt), v);
      const below = smoothstep(-3, -11, y);
      const temple = smoothstep(1.35, 2.1, Math.abs(angle));
      const volume = 1 + 0.035 * depth + 0.05 * hair.volume * smoothstep(5, 0, y) - 0.05 * below;
      const tuck = 1 - 0.1 * smoothstep(3.5, 6.2, y);
      const wave = waves * smoothstep(2, -6, y) * noise2(u * 14, y * 0.33, salt + 9);
      const rx = (craniumRadii[0] * cranium.width + 0.75) * volume * tuck + wave * 0.7;
      const rz = (craniumRadii[2] * cranium.depth + 0.6) * volume * tuck + wave * 0.7;
      const x = -Math.sin(angle) * rx * (1 - 0.06 * temple * below);
      const z =
        craniumCentre[2] - Math.cos(angle) * rz * lerp(1, 0.72, temple * smoothstep(0, -8, y)) + below * temple * 2.2;
      return [x, y, z];
    });
    return { surface, depth };
  });
}

/** A knot on the back of the crown. */
export function bunSurface(traits: Traits): Surface | null {
  const { hair, cranium, headwear } = traits;
  if (hair.style !== 'bun' || headwear.style !== 'none') return null;
  const radius = lerp(2, 3.6, hair.volume);
  const [cy, cz] = hair.length > 0.5 ? [13.2 * cranium.height, -6.5] : [8.5, -14.5];
  const ball = gridSurface(24, 16, (u, v) => {
    const [a, b] = [2 * Math.PI * u, Math.PI * v];
    const lump = 1 + 0.06 * noise2(u * 8, v * 6, traits.seed);
    return [
      radius * lump * Math.sin(b) * Math.sin(a),
      cy + radius * 0.85 * lump * Math.cos(b),
      cz + radius * lump * Math.sin(b) * Math.cos(a),
    ];
  });
  return joinSurfaces([ball]);
}
