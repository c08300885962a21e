import { chanceOfMatch } from './chance-of-match.ts';
import type { LinearColour } from './colours.ts';
import { type Contrast, contrastPlaces, type LightSample, lightRegions } from './measure.ts';
import { STANDARD_LIGHT_POLICY as policy } from './policy.ts';
import type { Observed } from './projection.ts';
import { type Gloss, glossOf, type PlaceFit, type Relief, reliefOf } from './reflection.ts';
import { type Chromaticity, chromaticity, type Fit, ResponseModel, type ShownSequence, stepAt } from './response.ts';

/** The numbers behind a verdict, for calibration and tests; never part of a result. */
export interface LightEvidence {
  readonly frames: number;
  readonly latencyMs: number;
  /** See {@link chanceOfMatch}. */
  readonly chance: number;
  readonly face: Fit;
  readonly skin: Fit;
  readonly background: Fit;
  /** In the order of {@link lightRegions}. */
  readonly regions: readonly Fit[];
  /** In the order of {@link contrastPlaces}. */
  readonly places: readonly (PlaceFit | null)[];
  readonly gloss: Gloss;
  readonly relief: Relief;
  /** Ambient light on the face, lux, estimated from the screen's; infinite without a response. */
  readonly ambientLux: number;
}

const latencyStepMs = 20;
const chanceStepMs = 40;

type Series = readonly { readonly atMs: number; readonly value: Chromaticity }[];

const series = (samples: readonly LightSample[], of: (sample: LightSample) => Chromaticity | null): Series =>
  samples.flatMap((sample) => {
    const value = of(sample);
    return value === null ? [] : [{ atMs: sample.atMs, value }];
  });

const against = (a: Chromaticity | null, b: Chromaticity | null): Chromaticity | null =>
  a === null || b === null ? null : [a[0] - b[0], a[1] - b[1]];

const seenAs = (colour: LinearColour | null | undefined): Chromaticity | null => (colour ? chromaticity(colour) : null);

/**
 * Median over the regions of each one's change from its own mean, so that hair or a moving mouth does not decide; null
 * if too few are in view.
 */
function skinOf(samples: readonly LightSample[]): (sample: LightSample) => Chromaticity | null {
  const means = lightRegions.map((_, region) => meanOf(series(samples, ({ regions }) => seenAs(regions[region]))));
  return ({ regions }) => {
    const there = regions.flatMap((colour, region) => {
      const moved = against(seenAs(colour), means[region] ?? null);
      return moved === null ? [] : [moved];
    });
    if (there.length < policy.minRegions) return null;
    return [median(there.map(([red]) => red)), median(there.map(([, blue]) => blue))];
  };
}

const meanOf = (one: Series): Chromaticity | null =>
  one.length === 0
    ? null
    : [
        one.reduce((sum, { value }) => sum + value[0], 0) / one.length,
        one.reduce((sum, { value }) => sum + value[1], 0) / one.length,
      ];

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  return ((sorted[Math.floor(middle - 0.5)] ?? 0) + (sorted[Math.floor(middle)] ?? 0)) / 2;
}

/** Evidence at the latency at which the sequence explains most; null if the frames do not cover the sequence. */
export function evidenceOf(
  samples: readonly LightSample[],
  { steps, endMs, candela }: ShownSequence,
): LightEvidence | null {
  const model = new ResponseModel(steps);
  const lit = (one: Series, latencyMs: number): Observed[] =>
    one.flatMap(({ atMs, value }) => {
      const step = stepAt(atMs, latencyMs, steps, endMs);
      return step < 0 ? [] : [{ atMs, step, value }];
    });
  const ofSkin = skinOf(samples);
  const face = series(samples, (sample) => against(ofSkin(sample), seenAs(sample.background)));
  const delayed: Observed[][] = [];
  let best: { readonly latencyMs: number; readonly fit: Fit; readonly frames: number } | null = null;
  for (let latencyMs = 0; latencyMs <= policy.maxLatencyMs; latencyMs += latencyStepMs) {
    const observed = lit(face, latencyMs);
    if (observed.length < policy.minFrames) continue;
    if (new Set(observed.map(({ step }) => step)).size < policy.minStepsSeen) continue;
    if (latencyMs % chanceStepMs === 0) delayed.push(observed);
    const fit = model.fit(observed);
    if (best === null || fit.explained > best.fit.explained) best = { latencyMs, fit, frames: observed.length };
  }
  if (best === null) return null;
  const { latencyMs, fit, frames } = best;
  const then = (of: (sample: LightSample) => LinearColour | null | undefined): Fit =>
    model.fit(
      lit(
        series(samples, (sample) => against(seenAs(of(sample)), seenAs(sample.background))),
        latencyMs,
      ),
      [fit.white],
    );
  const alone = (of: (sample: LightSample) => Chromaticity | null): Fit =>
    model.fit(lit(series(samples, of), latencyMs), [fit.white]);
  const regions = lightRegions.map((_, region) => then((sample) => sample.regions[region]));
  const places = contrastPlaces.map((_, place) => placeFit(samples, place, then));
  return {
    frames,
    latencyMs,
    chance: chanceOfMatch(delayed, steps),
    face: fit,
    skin: alone(ofSkin),
    background: alone((sample) => seenAs(sample.background)),
    regions,
    places,
    gloss: glossOf(places),
    relief: reliefOf(regions, places),
    ambientLux: ambientLuxOf(samples, fit.gain, candela),
  };
}

/**
 * Light falls with the square of the distance, which follows from the face's width; what the screen does not explain is
 * ambient.
 */
function ambientLuxOf(samples: readonly LightSample[], gain: number, candela: number | undefined): number {
  const { ordinary } = policy;
  const share = samples.reduce((sum, { faceShare }) => sum + faceShare, 0) / samples.length;
  const screenLux = ordinary.luxAtShare * ((candela ?? ordinary.candela) / ordinary.candela);
  return (screenLux * (share / ordinary.faceShare) ** 2) / gain;
}

function placeFit(
  samples: readonly LightSample[],
  place: number,
  fit: (of: (sample: LightSample) => LinearColour | null | undefined) => Fit,
): PlaceFit | null {
  const seen = samples
    .flatMap(({ contrasts }) => contrasts.slice(place, place + 1))
    .filter((contrast) => contrast !== null);
  const green = (part: keyof Contrast): number => seen.reduce((sum, contrast) => sum + contrast[part][1], 0);
  if (seen.length < samples.length / 2 || green('dark') <= 0) return null;
  return {
    dark: fit((sample) => sample.contrasts[place]?.dark),
    bright: fit((sample) => sample.contrasts[place]?.bright),
    contrast: green('bright') / green('dark'),
  };
}
