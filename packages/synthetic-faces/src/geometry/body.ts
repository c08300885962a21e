import type { Traits } from '../identity/traits.ts';
import { lerp, smoothstep } from '../math.ts';
import { gridSurface, joinSurfaces, type Surface } from './surface.ts';

/**
 * Where the torso shows skin instead of cloth; u runs round the body with 0.5 in front, v is the drop below its top in
 * units.
 */
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

/** Where the neck stands: its axis in canonical units. */
export const neckAxis = { x: 0, z: -4.8 } as const;
export const neckTop = -2.5;
export const neckBase = -14.2;

/** Catmull–Rom through (y, value) knots in falling y. */
function profile(knots: readonly (readonly [number, number])[], y: number): number {
  let i = 0;
  while (i < knots.length - 2 && y < (knots[i + 1]?.[0] ?? 0)) i++;
  const knot = (k: number): readonly [number, number] => knots[Math.max(0, Math.min(knots.length - 1, k))] ?? [0, 0];
  const [p0, p1, p2, p3] = [knot(i - 1), knot(i), knot(i + 1), knot(i + 2)];
  const t = Math.max(0, Math.min(1, (y - p1[0]) / (p2[0] - p1[0] || 1)));
  const [a, b, c, d] = [p0[1], p1[1], p2[1], p3[1]];
  return b + 0.5 * t * (c - a + t * (2 * a - 5 * b + 4 * c - d + t * (3 * (b - c) + d - a)));
}

/** The neck from inside the head down to inside the collar; v runs down, u round it with 0.5 in front. */
export function neckSurface(width: number): Surface {
  return gridSurface(40, 22, (u, v) => {
    const y = lerp(neckTop, neckBase - 2, v);
    const angle = 2 * Math.PI * (u - 0.5);
    const [s, c] = [Math.sin(angle), Math.cos(angle)];
    const spread = 5.35 + 1.3 * smoothstep(-10.5, -15.5, y);
    // Muscle cords to both sides of the throat, and the Adam's apple's plane between them.
    const cord = 0.28 * Math.exp(-(((Math.abs(angle) - 0.75) / 0.3) ** 2)) * smoothstep(-6, -12, y);
    const pit = -0.55 * Math.exp(-((angle / 0.32) ** 2)) * smoothstep(-11.5, -14.5, y);
    const r = spread + cord + pit;
    return [r * s * 1.04 * width, y, neckAxis.z + r * c * 0.98 * width + 0.28 * (y + 10) * -0.12];
  });
}

/** Height at which the cloth begins. */
const torsoTop = -12.6;

/** With v as the drop below the torso's top, in units. */
function withDrop(surface: Surface): Surface {
  const uvs = Float32Array.from(surface.uvs);
  for (let i = 0; i < uvs.length; i += 2) uvs[i + 1] = torsoTop - (surface.positions[(i / 2) * 3 + 1] ?? 0);
  return { ...surface, uvs };
}

/** Shoulders and body under cloth; u runs round with 0.5 in front, v is the drop below the top in units. */
export function torsoSurface(width: number): Surface {
  const halfWidth: readonly (readonly [number, number])[] = [
    [-12.6, 6.4],
    [-13.6, 8],
    [-14.8, 11.2],
    [-16.2, 15.6],
    [-17.6, 18],
    [-19.5, 18.6],
    [-23, 17.4],
    [-34, 16.6],
    [-60, 16],
    [-190, 15],
  ];
  const halfDepth: readonly (readonly [number, number])[] = [
    [-12.6, 6.1],
    [-13.6, 6.6],
    [-14.8, 7.2],
    [-17, 8.4],
    [-20, 9.6],
    [-25, 10.8],
    [-34, 11.2],
    [-60, 10.6],
    [-190, 10],
  ];
  const surface = gridSurface(56, 40, (u, v) => {
    const y = lerp(torsoTop, -190, v ** 2.4);
    const angle = 2 * Math.PI * (u - 0.5);
    const [s, c] = [Math.sin(angle), Math.cos(angle)];
    const power = lerp(1, 0.82, smoothstep(-13, -19, y));
    const shape = (value: number): number => Math.sign(value) * Math.abs(value) ** power;
    const w = profile(halfWidth, y) * lerp(1, width, smoothstep(-12.6, -17, y));
    return [
      w * shape(s),
      y - 0.9 * smoothstep(0.3, 1, c) * smoothstep(-22, -13, y),
      -5.2 + profile(halfDepth, y) * shape(c),
    ];
  });
  return withDrop(surface);
}

/** Both upper arms hanging at the sides; v is the drop below the torso's top in units. */
export function armSurfaces(width: number): Surface {
  const arm = (side: number): Surface => {
    const surface = gridSurface(20, 18, (u, v) => {
      const angle = 2 * Math.PI * (u - 0.5);
      const y = lerp(-16.6, -52, v);
      const cap = Math.sqrt(Math.max(0, 1 - smoothstep(-22.5, -16.6, y) ** 2));
      const r = lerp(5.3, 4.3, smoothstep(-18, -45, y)) * cap;
      const outward = lerp(17.4, 20.5, smoothstep(-17, -46, y)) * width;
      return [side * outward + r * Math.sin(angle), y, -5.6 + r * 1.15 * Math.cos(angle)];
    });
    return withDrop(surface);
  };
  return joinSurfaces([arm(-1), arm(1)]);
}
