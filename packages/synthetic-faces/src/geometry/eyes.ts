import { leftEye, rightEye } from './canonical.ts';
import { gridSurface, type Surface } from './surface.ts';

/** An eyeball behind its lids, in the head's units. */
export interface Eyeball {
  readonly centre: readonly [number, number, number];
  readonly radius: number;
}

/** Fits both eyeballs (the person's right first) to the lid edges of a shaped face. */
export function eyeballsOf(face: Float32Array): readonly [Eyeball, Eyeball] {
  const fit = (loop: readonly number[]): Eyeball => {
    const mean = [0, 0, 0];
    for (const v of loop) for (const k of [0, 1, 2]) mean[k] = (mean[k] ?? 0) + (face[v * 3 + k] ?? 0) / loop.length;
    const [mx = 0, my = 0, mz = 0] = mean;
    let half = 0;
    for (const v of loop) half = Math.max(half, Math.abs((face[v * 3] ?? 0) - mx));
    const radius = half * 1.13;
    return { centre: [mx, my, mz + 0.26 - radius * 0.96], radius };
  };
  return [fit(rightEye), fit(leftEye)];
}

/** Front half of a unit sphere about the z axis; (u, v) − 0.5 is the direction off the axis in units of the radius, halved. */
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
