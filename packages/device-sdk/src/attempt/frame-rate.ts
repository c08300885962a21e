import { type FaceEngine, type PassiveLiveness, trialFrame } from '@svc/face-engine';
import type { Clock } from '../ports/platform.ts';
import { MIN_FRAMES_PER_SECOND } from '../verification/policy.ts';
import { FrameReader } from './frame-reader.ts';

/** Frames of one measurement, after a first one that finds the face. */
const FRAMES = 4;
/** The shortest visit embeds about every other frame. */
const FRAMES_AN_EMBEDDING = 2;
/** Measurements until a device counts as too slow: a phone that is just starting is slow for a moment. */
const ROUNDS = 3;

export interface FrameRateInput {
  readonly engine: FaceEngine;
  /** Null: no passive check. */
  readonly passiveLiveness: PassiveLiveness | null;
  readonly clock: Clock;
  /** True ends the measurement at the next frame. */
  readonly isStopped: () => boolean;
}

/**
 * How many frames a second an attempt can look at on this device, with this engine's embeddings. The work is that of an
 * attempt on a drawn face: copying the frame, tracking, quality, the passive check, and embeddings. A rate that is too
 * low is measured again, and the best counts.
 * @returns null if it could not be measured
 */
export async function measureFrameRate(input: FrameRateInput, engineId: string): Promise<number | null> {
  let best: number | null = null;
  for (let round = 0; round < ROUNDS && !input.isStopped(); round += 1) {
    const rate = await measureOnce(input, engineId).catch(() => null);
    if (rate === null) return best;
    best = Math.max(rate, best ?? 0);
    if (best >= MIN_FRAMES_PER_SECOND) break;
  }
  return best;
}

async function measureOnce(
  { engine, passiveLiveness, clock, isStopped }: FrameRateInput,
  engineId: string,
): Promise<number | null> {
  const reader = new FrameReader(engine, passiveLiveness);
  let beganAtMs = 0;
  try {
    for (let i = 0; i <= FRAMES; i += 1) {
      if (isStopped()) return null;
      const atMs = clock.monotonicMs();
      if (i === 1) beganAtMs = atMs;
      const image = engine.open(trialFrame());
      try {
        const { face } = await reader.read(image, atMs);
        if (face === null) return null;
        if (i % FRAMES_AN_EMBEDDING === 1) (await engine.embed(image, face, { engineId })).fill(0);
      } finally {
        image.dispose();
      }
    }
  } finally {
    reader.dispose();
  }
  const ms = clock.monotonicMs() - beganAtMs;
  return ms > 0 ? (1_000 * FRAMES) / ms : null;
}
