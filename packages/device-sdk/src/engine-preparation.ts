import type { FaceEngine } from '@svc/face-engine';
import { createExclusive } from './exclusive.ts';

/**
 * Keeps exactly the networks loaded that the list needs. Loading never runs during an attempt. A failure affects
 * neither sync nor deletion: it is repeated before the next attempt and after the next sync.
 */
export class EnginePreparation {
  readonly #engine: FaceEngine;
  readonly #wanted: () => readonly string[];
  readonly #exclusive = createExclusive();
  /** The engines that were last prepared; null before, and after a failure. */
  #prepared: string | null = null;
  #closed = false;

  /** @param listed the engines of the list's epochs, newest first; empty without a list */
  constructor(engine: FaceEngine, listed: () => readonly string[]) {
    this.#engine = engine;
    this.#wanted = () => {
      const ids = listed().filter((id) => engine.recipes.some(({ engineId }) => engineId === id));
      return ids.length === 0 ? [engine.engineId] : [...new Set(ids)];
    };
  }

  /** Prepares for the current list, once no attempt runs. Never rejects. */
  update(): Promise<void> {
    return this.#exclusive(() => this.#prepare());
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

  async #prepare(): Promise<void> {
    const wanted = this.#wanted();
    const key = wanted.join();
    if (this.#closed || key === this.#prepared) return;
    this.#prepared = null;
    try {
      await this.#engine.prepare(wanted);
      this.#prepared = key;
    } catch {
      // The attempt loads its networks itself, and reports the failure.
    }
  }
}
