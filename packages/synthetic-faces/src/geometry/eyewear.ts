import type { GlassesStyle } from '../identity/traits.ts';
import { joinSurfaces, type Point3, type Surface, tube } from './surface.ts';

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

interface Eyewear {
  readonly frame: Surface;
}

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
): Eyewear {
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
  return { frame: joinSurfaces(pieces) };
}
