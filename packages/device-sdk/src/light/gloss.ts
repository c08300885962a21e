import { type Gain, screenShare } from './response-model.ts';

/** Response of one place of contrast. */
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
