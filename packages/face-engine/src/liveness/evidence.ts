import type { EvidenceFeature, EvidenceFit } from '@svc/face-models';

/** What the passive networks and the frame say about one face. */
export interface PassiveReading {
  /** Probabilities of a print, of a live face and of a screen, by the network that sees 2.7 times the face. */
  readonly v2: Probabilities;
  /** The same by the network that sees 4 times the face. */
  readonly v1se: Probabilities;
  /** How many times the face's box fits into the frame. */
  readonly room: number;
  /** Sharpness of the face, 0 to 1. */
  readonly sharpness: number;
}
/** Of a print, of a live face, of a screen; 0 to 1. */
export type Probabilities = readonly [print: number, live: number, screen: number];

/** The networks' output has no more digits than this in both arithmetics. */
const leastProbability = 1e-4;
/** With more room than this both networks see their whole surroundings. */
const enoughRoom = 4;

/** The regression's inputs, about -10 to 10 each. */
export function evidenceFeatures(reading: PassiveReading): Readonly<Record<EvidenceFeature, number>> {
  const [v2, v1se] = [reading.v2, reading.v1se].map((probabilities) => {
    const [print, live, screen] = probabilities.map((p) => Math.log(Math.max(leastProbability, p)));
    return { overPrint: (live as number) - (print as number), overScreen: (live as number) - (screen as number) };
  }) as [LogOdds, LogOdds];
  const room = Math.min(reading.room, enoughRoom);
  return {
    v2OverPrint: v2.overPrint,
    v2OverScreen: v2.overScreen,
    v1seOverPrint: v1se.overPrint,
    v1seOverScreen: v1se.overScreen,
    disagreement: Math.abs(v2.overScreen - v1se.overScreen),
    room,
    sharpness: reading.sharpness,
  };
}

interface LogOdds {
  readonly overPrint: number;
  readonly overScreen: number;
}

/** Probability that a face is live, 0 to 1, by the calibration's logistic regression. */
export function evidenceOf(reading: PassiveReading, { bias, weights }: EvidenceFit): number {
  const features = evidenceFeatures(reading);
  const names = Object.keys(features) as EvidenceFeature[];
  return 1 / (1 + Math.exp(-names.reduce((sum, name) => sum + weights[name] * features[name], bias)));
}
