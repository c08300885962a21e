import type { GlassesStyle } from '../identity/traits.ts';
import { bell, smoothstep } from '../math.ts';
import { leftEye, loopMean, rightEye } from './canonical.ts';
import { gridSurface, joinSurfaces, type Point3, type Surface, tube } from './surface.ts';

interface LensShape {
  readonly halfWidth: number;
  readonly halfHeight: number;
  /** Exponent of the superellipse: 2 round, 4 nearly a rectangle. */
  readonly power: number;
  readonly drop: number;
  readonly rim: number;
  readonly topRim: number;
}

const lenses: Readonly<Record<Exclude<GlassesStyle, 'none'>, LensShape>> = {
  round: { halfWidth: 2.15, halfHeight: 2.05, power: 2, drop: 0.25, rim: 0.13, topRim: 0.13 },
  rectangle: { halfWidth: 2.5, halfHeight: 1.45, power: 4.5, drop: 0.2, rim: 0.2, topRim: 0.24 },
  browline: { halfWidth: 2.45, halfHeight: 1.7, power: 3, drop: 0.25, rim: 0.06, topRim: 0.42 },
  thin: { halfWidth: 2.4, halfHeight: 1.3, power: 3, drop: 0.25, rim: 0.07, topRim: 0.07 },
  oversize: { halfWidth: 2.75, halfHeight: 2.3, power: 2.8, drop: 0.4, rim: 0.2, topRim: 0.24 },
};

/** Spectacles that sit on the bridge of the nose and reach back to the ears. */
export function eyewear(
  style: Exclude<GlassesStyle, 'none'>,
  thickness: number,
  seat: {
    readonly eyeX: number;
    readonly eyeY: number;
    readonly frontZ: number;
    readonly templeX: number;
    readonly earZ: number;
  },
): Surface {
  const lens = lenses[style];
  const half = Math.min(lens.halfWidth, seat.eyeX * 0.86);
  const centreX = Math.max(seat.eyeX, half + 0.62);
  const outline = (side: number, s: number): Point3 => {
    const angle = 2 * Math.PI * s;
    const [c, n] = [Math.cos(angle), Math.sin(angle)];
    const reach = (Math.abs(c / half) ** lens.power + Math.abs(n / lens.halfHeight) ** lens.power) ** (-1 / lens.power);
    const x = centreX + reach * c;
    const y = seat.eyeY - lens.drop + reach * n;
    // Face-form: the outer edge wraps back.
    return [side * x, y, seat.frontZ - 0.055 * Math.max(0, x - 0.8) ** 1.8];
  };
  const pieces: Surface[] = [];
  for (const side of [-1, 1]) {
    pieces.push(
      tube(
        (s) => outline(side, s),
        (s) => {
          const top = Math.max(0, Math.sin(2 * Math.PI * s));
          const r = (lens.rim + (lens.topRim - lens.rim) * top ** 0.7) * thickness;
          return [r, r * 0.8];
        },
        64,
        7,
        [0, 0, 1],
      ),
    );
    const hinge = outline(side, 0.03);
    pieces.push(
      tube(
        (s) => [
          hinge[0] + (side * seat.templeX - hinge[0]) * Math.min(1, s * 2.2),
          hinge[1] + 0.35 - 0.25 * s,
          hinge[2] + (seat.earZ - hinge[2]) * s,
        ],
        () => [0.13 * thickness, 0.22 * thickness],
        10,
        6,
        [0, 1, 0],
      ),
    );
  }
  const inner = centreX - half;
  pieces.push(
    tube(
      (s) => [(s * 2 - 1) * inner, seat.eyeY + 0.35 + 0.35 * (1 - (s * 2 - 1) ** 2), seat.frontZ + 0.12],
      () => [0.15 * thickness, 0.13 * thickness],
      8,
      6,
      [0, 0, 1],
    ),
  );
  return joinSurfaces(pieces);
}

/**
 * Both ears: a dish with a rolled rim (helix), an inner ridge (antihelix), a hollow (concha) and a lobe.
 *
 * @param anchor where the front of the person's left ear meets the head, canonical units
 * @param size scale, 1 average
 * @param flare 0 lying flat … 1 standing out
 */
export function earSurface(anchor: readonly [number, number, number], size: number, flare: number): Surface {
  const [ax, ay, az] = anchor;
  const out = 0.35 + 0.45 * flare;
  const one = (side: 1 | -1): Surface => {
    const surface = gridSurface(24, 12, (u, v) => {
      const angle = 2 * Math.PI * u;
      const r = v;
      // Outline: wide at the top, narrow at the lobe.
      const [c, s] = [Math.cos(angle), Math.sin(angle)];
      const width = 1.55 + 0.35 * s - 0.2 * smoothstep(-0.4, -1, s);
      const back = c * r * width * (c > 0 ? 1.1 : 0.75);
      const up = s * r * 3;
      const rim = bell(((r - 0.88) / 0.1) ** 2) * smoothstep(-0.9, -0.3, s + 0.5 * c) * 0.42;
      const ridge = bell(((r - 0.6) / 0.12) ** 2) * smoothstep(-0.2, 0.5, c) * 0.25;
      const hollow = -0.45 * bell((r / 0.42) ** 2);
      const tragus = 0.3 * bell(((back + 0.95) / 0.35) ** 2 + ((up + 0.3) / 0.55) ** 2);
      const lobe = 0.15 * bell((back / 0.8) ** 2 + ((up + 2.4) / 0.6) ** 2);
      const tuck = -0.75 * smoothstep(0.93, 1, r);
      const lift = rim + ridge + hollow + tragus + lobe + tuck;
      const stand = (back + 1.2) * Math.sin(out);
      return [
        side * (ax + (stand + lift + 0.05) * size),
        ay + (up - 0.25 * back) * size,
        az - (1 + back * Math.cos(out)) * size,
      ];
    });
    if (side === 1) return surface;
    const flipped = Uint32Array.from(surface.triangles);
    for (let t = 0; t < flipped.length; t += 3) {
      [flipped[t + 1], flipped[t + 2]] = [flipped[t + 2] ?? 0, flipped[t + 1] ?? 0];
    }
    return { ...surface, triangles: flipped };
  };
  return joinSurfaces([one(1), one(-1)]);
}

/** An eyeball behind its lids, in the head's units. */
export interface Eyeball {
  readonly centre: readonly [number, number, number];
  readonly radius: number;
}

/** Fits both eyeballs (the person's right first) to the lid edges of a shaped face. */
export function eyeballsOf(face: Float32Array): readonly [Eyeball, Eyeball] {
  const fit = (loop: readonly number[]): Eyeball => {
    const [mx = 0, my = 0, mz = 0] = loopMean(loop, face, 3);
    let half = 0;
    for (const v of loop) half = Math.max(half, Math.abs((face[v * 3] ?? 0) - mx));
    const radius = half * 1.13;
    return { centre: [mx, my, mz + 0.26 - radius * 0.96], radius };
  };
  return [fit(rightEye), fit(leftEye)];
}

/**
 * Front half of a unit sphere about the z axis; (u, v) − 0.5 is the direction off the axis in units of the radius,
 * halved.
 */
export const eyeDome: Surface = (() => {
  const dome = gridSurface(24, 10, (u, v) => {
    const polar = v * Math.PI * 0.5;
    const angle = 2 * Math.PI * u;
    return [Math.sin(polar) * Math.cos(angle), Math.sin(polar) * Math.sin(angle), Math.cos(polar)];
  });
  const uvs = new Float32Array(dome.uvs.length);
  for (let i = 0; i < uvs.length / 2; i++) {
    uvs[i * 2] = 0.5 + (dome.positions[i * 3] ?? 0) / 2;
    uvs[i * 2 + 1] = 0.5 - (dome.positions[i * 3 + 1] ?? 0) / 2;
  }
  return { ...dome, uvs };
})();
