import { type Gain, screenShare } from './response-model.ts';

/** How one place of contrast answered. */
export interface PlaceFit {
  readonly dark: Gain;
  readonly bright: Gain;
  /** Mean green of the bright part over that of the dark part. */
  readonly contrast: number;
}

/** Where the answer lies between light that was reflected by what is seen and light that was laid over it. */
export interface Gloss {
  /**
   * 0: skin, brows and eyes reflect each their share of the light. 1: dark and bright got the same light, as from a
   * mirror before them.
   */
  readonly share: number;
  /** Standard error of the share; infinite where nothing tells. */
  readonly error: number;
}

/** Contrasts below this tell nothing. */
const leastContrast = 1.25;

/**
 * What lights a surface is multiplied by how light the surface is; what a pane before a picture mirrors is added to it.
 * Dark parts then answer with a gain that is as much higher as they are darker. Places are weighted by what they can
 * tell.
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

/** How much the shares of places differ by shadow and glints, squared. */
const placeVariance = 0.15 ** 2;
