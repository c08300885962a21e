import { bell, smoothstep } from '../math.ts';
import { gridSurface, joinSurfaces, type Surface } from './surface.ts';

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
