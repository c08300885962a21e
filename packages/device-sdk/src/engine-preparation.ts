import type { FaceEngine } from '@svc/face-engine';
import { createExclusive } from './exclusive.ts';
import { MIN_FRAMES_PER_SECOND } from './verification/policy.ts';

export interface EnginePreparationOptions {
  readonly engine: FaceEngine;
  /** The engines of the list's epochs, newest first; empty without a list. */
  readonly listed: () => readonly string[];
  /**
   * Frames a second with an engine's embeddings; null if it could not be measured.
   * @param isStopped true ends the measurement
   */
  readonly measure: (engineId: string, isStopped: () => boolean) => Promise<number | null>;
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
    return this.#framesPerSecond !== null && this.#framesPerSecond < MIN_FRAMES_PER_SECOND;
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
    const ids = listed().filter((id) => engine.recipes.some(({ engineId }) => engineId === id));
    return ids.length === 0 ? [engine.engineId] : [...new Set(ids)];
  }

  async #measure(): Promise<void> {
    const [newest] = this.#wanted();
    if (this.#closed || this.#prepared === null || newest === undefined) return;
    if (this.#prepared === this.#measured && !this.isTooSlow) return;
    const rate = await this.#options.measure(newest, () => this.#closed);
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
