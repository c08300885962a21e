import type { LightEvidence } from './evidence.ts';
import { type Gain, screenShare } from './response.ts';

export interface PlaceFit {
  readonly dark: Gain;
  readonly bright: Gain;
  /** Mean green of the bright part over that of the dark part. */
  readonly contrast: number;
}

/** Whether the response is reflected by the visible surface or overlaid on it. */
export interface Gloss {
  /**
   * 0: skin, brows and eyes reflect light in proportion to their albedo. 1: dark and bright parts got the same light,
   * as from a glossy pane in front of them.
   */
  readonly share: number;
  /** Standard error of the share; infinite if it cannot be estimated. */
  readonly error: number;
}

/** Lower contrasts are not used. */
const leastContrast = 1.25;

/**
 * Light on a surface is multiplied by its albedo; a reflection in a pane in front of a picture is added to it. Then
 * darker parts have proportionally higher gains. Places are weighted by their information.
 */
export function glossOf(places: readonly (PlaceFit | null)[]): Gloss {
  let [weights, sum] = [0, 0];
  for (const place of places) {
    if (place === null || place.contrast < leastContrast || place.bright.gain <= 0) continue;
    const [dark, bright] = [screenShare(place.dark), screenShare(place.bright)];
    const ratio = dark.value / bright.value;
    const error = Math.hypot(dark.error, ratio * bright.error) / bright.value / (place.contrast - 1);
    const weight = 1 / (error * error + placeVariance);
    weights += weight;
    sum += weight * ((ratio - 1) / (place.contrast - 1));
  }
  return weights > 0
    ? { share: sum / weights, error: Math.sqrt(1 / weights) }
    : { share: 0, error: Number.POSITIVE_INFINITY };
}

/** Variance of the shares between places, from shadows and glints. */
const placeVariance = 0.15 ** 2;

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

/** Gains of one sequence, or of two together, and the derived surface properties. */
export interface Gains {
  readonly face: Gain;
  readonly skin: Gain;
  readonly background: Gain;
  readonly regions: readonly Gain[];
  readonly gloss: Gloss;
  readonly relief: Relief;
}

/**
 * Combines two sequences in the same light: each gain is the mean weighted by inverse variance; gloss and relief are
 * computed from the means.
 */
export function pooledGains(first: LightEvidence, second: LightEvidence): Gains {
  const regions = first.regions.map((gain, i) => pooled(gain, second.regions[i] ?? gain));
  const places = first.places.map((place, i) => pooledPlace(place, second.places[i] ?? null));
  return {
    face: pooled(first.face, second.face),
    skin: pooled(first.skin, second.skin),
    background: pooled(first.background, second.background),
    regions,
    gloss: glossOf(places),
    relief: reliefOf(regions, places),
  };
}

/** Keeps the weight of a series without noise finite. */
const NOISELESS = 1e-9;

function pooled(a: Gain, b: Gain): Gain {
  const [ofA, ofB] = [a, b].map(({ gainError }) => Math.max(gainError, NOISELESS) ** -2) as [number, number];
  // Unknown in both stays unknown.
  if (ofA + ofB === 0) return { gain: (a.gain + b.gain) / 2, gainError: Number.POSITIVE_INFINITY };
  return { gain: (ofA * a.gain + ofB * b.gain) / (ofA + ofB), gainError: Math.sqrt(1 / (ofA + ofB)) };
}

function pooledPlace(a: PlaceFit | null, b: PlaceFit | null): PlaceFit | null {
  if (a === null || b === null) return a ?? b;
  return {
    dark: pooled(a.dark, b.dark),
    bright: pooled(a.bright, b.bright),
    contrast: (a.contrast + b.contrast) / 2,
  };
}
