import type { PassiveLiveness } from '../types.ts';
import { type CropNetwork, type FrameScorer, type OpenNetwork, openCropScorer } from './frame-scorer.ts';
import { createPassiveLiveness, type PassiveLivenessOptions } from './passive-liveness.ts';

/** Inputs are in −1..1. */
const input = { scale: 1 / 127.5, offset: -1 } as const;

/** A wide crop around the face and a narrower one, as MiniFASNet's, whose answers they learned; each says the log odds of a person. */
const networks: readonly CropNetwork[] = [
  { name: 'passive-context', scale: 4, side: 80, input, element: 0 },
  { name: 'passive-texture', scale: 2.7, side: 80, input, element: 0 },
];

const sigmoid = (logit: number): number => 1 / (1 + Math.exp(-logit));

/** The mean of both networks' probabilities. */
export const openPresence = (open: OpenNetwork): Promise<FrameScorer> =>
  openCropScorer(open, networks, (logits) => logits.reduce((sum, logit) => sum + sigmoid(logit), 0) / logits.length);

/**
 * «presence», this project's own model: does the camera see a person, or a reproduction of one? Its networks are part of the base bundle.
 *
 * @throws FaceError `model-missing` when the bundle lacks them, `model-mismatch`, `golden-mismatch`, `runtime-failed`
 */
export const createPresence = (options: PassiveLivenessOptions): Promise<PassiveLiveness> =>
  createPassiveLiveness('presence', options, openPresence);
