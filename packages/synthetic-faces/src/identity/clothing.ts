import { neckAxis } from '../geometry/body.ts';
import { gridSurface, type Surface } from '../geometry/surface.ts';
import { lerp, smoothstep } from '../math.ts';
import type { Traits } from './traits.ts';

/** Where the torso shows skin instead of cloth; u runs round the body with 0.5 in front, v is the drop below its top in units. */
export function necklineOf(traits: Traits): ((u: number, v: number) => boolean) | null {
  switch (traits.body.collar) {
    case 'v':
      return (u, v) => v < 0.5 || Math.abs(u - 0.5) < 0.0095 * (9 - v);
    case 'crew':
      return (u, v) => v < 0.7 + 1.4 * Math.cos(2 * Math.PI * (u - 0.5));
    case 'shirt':
      return (u, v) => Math.abs(u - 0.5) < 0.007 * (5.5 - v);
    case 'turtleneck':
      return null;
  }
}

/** The collar round the neck, if there is one. */
export function collarSurface(traits: Traits): Surface | null {
  const { collar, neckWidth } = traits.body;
  if (collar === 'turtleneck') {
    return gridSurface(36, 10, (u, v) => {
      const angle = 2 * Math.PI * (u - 0.5);
      const y = lerp(-9.8, -14.6, v);
      const r = (5.95 + 0.25 * Math.sin(v * Math.PI) + 1.9 * smoothstep(0.55, 1, v)) * neckWidth;
      return [Math.sin(angle) * r * 1.04, y, neckAxis.z + 0.1 + Math.cos(angle) * r];
    });
  }
  if (collar === 'shirt') {
    return gridSurface(40, 6, (u, v) => {
      const angle = 2 * Math.PI * lerp(0.035, 0.965, u);
      const front = Math.cos(angle);
      const stand = lerp(-11, -14.6, v) - 1.6 * smoothstep(0.2, 1, front) - 1.4 * v * smoothstep(0.6, 1, front);
      const r = (6 + 1.5 * v) * neckWidth;
      return [Math.sin(angle) * r * 1.05, stand, neckAxis.z + 0.2 + front * r * 1.02];
    });
  }
  return null;
}
