import type { PlaceFit } from './gloss.ts';
import type { Gain } from './response-model.ts';

/** How unevenly the parts of a face respond. */
export interface Relief {
  /**
   * Root mean square distance of the gains' logarithms from a plane through them: 0 for a sheet, whose parts all face
   * one way.
   */
  readonly roughness: number;
  /** The roughness that the gains' standard errors alone would give; infinite if too few parts respond. */
  readonly error: number;
}

type Place = readonly [across: number, up: number];

/** Positions on a face, in half widths and half heights: the regions, then the places of contrast. */
const regionsAt: readonly Place[] = [
  [0, 1],
  [-0.9, -0.25],
  [0.9, -0.25],
  [0, 0],
  [0, -1],
];
const contrastsAt: readonly Place[] = [
  [-0.6, 0.35],
  [0.6, 0.35],
  [0, -0.6],
];

/** Minimum relative error of a gain. */
const leastError = 0.03;
/** Gains with a larger relative error are not used. */
const mostError = 0.5;
const planeParameters = 3;
const leastParts = 6;

/**
 * Ambient light comes from other directions than the screen's, so nose, cheek and chin, which face different ways, have
 * different gains. On flat paper gains change smoothly with the distance to the screen.
 */
export function reliefOf(regions: readonly Gain[], places: readonly (PlaceFit | null)[]): Relief {
  const fits = [...regions, ...places.map((place) => place?.bright ?? null)];
  const parts = fits.flatMap((fit, i) => {
    const error = fit === null ? 1 : fit.gainError / fit.gain;
    if (fit === null || !(error < mostError)) return [];
    const at = [...regionsAt, ...contrastsAt][i] ?? [0, 0];
    return [{ at: [1, ...at], value: Math.log(fit.gain), error, weight: 1 / (error ** 2 + leastError ** 2) }];
  });
  if (parts.length < leastParts) return { roughness: 0, error: Number.POSITIVE_INFINITY };
  const plane = planeThrough(parts);
  const total = parts.reduce((sum, { weight }) => sum + weight, 0);
  const rest = parts.reduce((sum, { at, value, weight }) => {
    const expected = at.reduce((level, x, k) => level + x * (plane[k] ?? 0), 0);
    return sum + weight * (value - expected) ** 2;
  }, 0);
  const noise = parts.reduce((sum, { error, weight }) => sum + weight * error ** 2, 0);
  return {
    roughness: Math.sqrt(((rest / total) * parts.length) / (parts.length - planeParameters)),
    error: Math.sqrt(noise / total),
  };
}

interface Part {
  readonly at: readonly number[];
  readonly value: number;
  readonly weight: number;
}

/** Weighted least squares by Gauss-Jordan elimination. */
function planeThrough(parts: readonly Part[]): readonly number[] {
  const rows = Array.from({ length: planeParameters }, (_, i) => [
    ...Array.from({ length: planeParameters }, (_, j) => sumOf(parts, ({ at }) => (at[i] ?? 0) * (at[j] ?? 0))),
    sumOf(parts, ({ at, value }) => (at[i] ?? 0) * value),
  ]);
  rows.forEach((row, i) => {
    const pivot = row[i] ?? 1;
    row.forEach((value, k) => {
      row[k] = value / pivot;
    });
    rows.forEach((other, j) => {
      const factor = other[i] ?? 0;
      if (j !== i) for (let k = i; k < row.length; k++) other[k] = (other[k] ?? 0) - factor * (row[k] ?? 0);
    });
  });
  return rows.map((row) => row[planeParameters] ?? 0);
}

const sumOf = (parts: readonly Part[], of: (part: Part) => number): number =>
  parts.reduce((sum, part) => sum + part.weight * of(part), 0);
