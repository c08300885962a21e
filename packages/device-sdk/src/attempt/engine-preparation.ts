import { type FaceEngine, type PassiveLiveness, recipeFor, trialFrame } from '@svc/face-engine';
import type { Clock } from '../platform/platform.ts';
import { createExclusive } from '../platform/timing.ts';
import { MIN_FRAMES_PER_SECOND, MIN_LIT_FRAMES_PER_SECOND } from '../verification/policy.ts';
import { FrameReader } from './frame-reader.ts';

export interface EnginePreparationOptions {
  readonly engine: FaceEngine;
  readonly passiveLiveness: PassiveLiveness | null;
  readonly clock: Clock;
  /** The engines of the list's epochs, newest first; empty without a list. */
  readonly listed: () => readonly string[];
  /** Called when {@link EnginePreparation.framesPerSecond} was measured. */
  readonly onMeasured: () => void;
}

/**
 * Keeps exactly the networks loaded that the list needs, and knows how fast they run here. Loading and measuring never
 * run during an attempt. A failure affects neither sync nor deletion: it is repeated before the next attempt and after
 * the next sync.
 */
export class EnginePreparation {
  readonly #options: EnginePreparationOptions;
  readonly #exclusive = createExclusive();
  /** The engines that were last prepared; null before, and after a failure. */
  #prepared: string | null = null;
  /** The engines that were last measured; null before. */
  #measured: string | null = null;
  #framesPerSecond: number | null = null;
  #closed = false;

  constructor(options: EnginePreparationOptions) {
    this.#options = options;
  }

  /** The last measurement; null before the first, and if it failed. */
  get framesPerSecond(): number | null {
    return this.#framesPerSecond;
  }

  /** The ten-second window would end before an attempt has the frames that it needs. */
  get isTooSlow(): boolean {
    return this.isBelow(MIN_FRAMES_PER_SECOND);
  }

  isBelow(framesPerSecond: number): boolean {
    return this.#framesPerSecond !== null && this.#framesPerSecond < framesPerSecond;
  }

  /**
   * Prepares for the current list, once no attempt runs, and measures the frame rate for other networks than before or
   * while it is too low. Never rejects.
   */
  update(): Promise<void> {
    return this.#exclusive(async () => {
      await this.#prepare();
      await this.#measure();
    });
  }

  /** Runs an attempt; nothing is loaded or freed until it ends. */
  during<T>(attempt: () => Promise<T>): Promise<T> {
    return this.#exclusive(async () => {
      await this.#prepare();
      return attempt();
    });
  }

  /** Stops using the engine; resolves when nothing runs on it. */
  close(): Promise<void> {
    this.#closed = true;
    return this.#exclusive(async () => undefined);
  }

  #wanted(): readonly string[] {
    const { engine, listed } = this.#options;
    const ids = listed().flatMap((id) => recipeFor(engine.recipes, id)?.engineId ?? []);
    return ids.length === 0 ? [engine.engineId] : [...new Set(ids)];
  }

  async #measure(): Promise<void> {
    const [newest] = this.#wanted();
    if (this.#closed || this.#prepared === null || newest === undefined) return;
    if (this.#prepared === this.#measured && !this.isBelow(MIN_LIT_FRAMES_PER_SECOND)) return;
    const rate = await measureFrameRate({ ...this.#options, isStopped: () => this.#closed }, newest);
    if (this.#closed) return;
    this.#measured = this.#prepared;
    this.#framesPerSecond = rate;
    this.#options.onMeasured();
  }

  async #prepare(): Promise<void> {
    const wanted = this.#wanted();
    const key = wanted.join();
    if (this.#closed || key === this.#prepared) return;
    this.#prepared = null;
    try {
      await this.#options.engine.prepare(wanted);
      this.#prepared = key;
    } catch {
      // The attempt loads its networks itself, and reports the failure.
    }
  }
}

const FRAMES = 4;
/** The shortest visit embeds about every other frame. */
const FRAMES_AN_EMBEDDING = 2;
/** Measurements until a device counts as too slow: a phone that is just starting is slow for a moment. */
const ROUNDS = 3;

interface FrameRateInput extends Pick<EnginePreparationOptions, 'engine' | 'passiveLiveness' | 'clock'> {
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
    if (best >= MIN_LIT_FRAMES_PER_SECOND) break;
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
