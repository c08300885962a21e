import type { LightEvidence } from './evidence.ts';
import { type Gloss, glossOf, type PlaceFit } from './gloss.ts';
import { type Relief, reliefOf } from './relief.ts';
import type { Gain } from './response-model.ts';

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
const leastError = 1e-9;

function pooled(a: Gain, b: Gain): Gain {
  const [ofA, ofB] = [a, b].map(({ gainError }) => Math.max(gainError, leastError) ** -2) as [number, number];
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
