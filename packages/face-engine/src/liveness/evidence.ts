import type { EvidenceFeature, EvidenceFit } from '@svc/face-models';

/** What the passive networks say about one face. */
export interface PassiveReading {
  /** By the network that sees 2.7 times the face. */
  readonly v2: Probabilities;
  /** By the network that sees 4 times the face. */
  readonly v1se: Probabilities;
  /** How many times the face's box fits into the frame. */
  readonly room: number;
}
/** Of a print, of a live face, of a screen; 0 to 1. */
export type Probabilities = readonly [print: number, live: number, screen: number];

/** Keeps certain answers apart from each other, but within ±7. */
const doubt = 1e-3;
const logit = (probability: number): number => Math.log((probability + doubt) / (1 - probability + doubt));

/** From this room on the networks see nearly all of their surroundings; at half of it both see the same crop. */
const fullRoom = 3;

/** The regression's inputs; nearness is 1 up to half of the full room, 0 from it on. */
export function evidenceFeatures({ v2, v1se, room }: PassiveReading): Readonly<Record<EvidenceFeature, number>> {
  const [ofV2, ofV1se] = [logit(v2[1]), logit(v1se[1])];
  const nearness = Math.min(1, Math.max(0, 2 - (2 * room) / fullRoom));
  return {
    v2: ofV2,
    v1se: ofV1se,
    v2Near: nearness * ofV2,
    v1seNear: nearness * ofV1se,
  };
}

/** Probability that a face is live, 0 to 1, by the calibration's logistic regression. */
export function evidenceOf(reading: PassiveReading, { bias, weights }: EvidenceFit): number {
  const features = evidenceFeatures(reading);
  const names = Object.keys(features) as EvidenceFeature[];
  return 1 / (1 + Math.exp(-names.reduce((sum, name) => sum + weights[name] * features[name], bias)));
}
