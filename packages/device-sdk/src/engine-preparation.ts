import type { FaceEngine } from '@svc/face-engine';
import { createExclusive } from './exclusive.ts';

/**
 * Keeps the networks loaded whose templates the list holds, and no others. Loading never runs beside an attempt, and
 * where it fails, neither sync nor deletion hears of it: it is tried again before the next attempt and after the next
 * sync.
 */
export class EnginePreparation {
  readonly #engine: FaceEngine;
  readonly #wanted: () => readonly string[];
  readonly #exclusive = createExclusive();
  /** What the engine was last prepared for; null where that failed, or before. */
  #prepared: string | null = null;
  #closed = false;

  /** @param listed the engines of the list's epochs, the newest first; none where there is no list */
  constructor(engine: FaceEngine, listed: () => readonly string[]) {
    this.#engine = engine;
    this.#wanted = () => {
      const ids = listed().filter((id) => engine.recipes.some(({ engineId }) => engineId === id));
      return ids.length === 0 ? [engine.engineId] : [...new Set(ids)];
    };
  }

  /** Prepares for the list as it is now, once no attempt runs. Never rejects. */
  update(): Promise<void> {
    return this.#exclusive(() => this.#prepare());
  }

  /** Runs an attempt: nothing is loaded or freed until it has ended. */
  during<T>(attempt: () => Promise<T>): Promise<T> {
    return this.#exclusive(async () => {
      await this.#prepare();
      return attempt();
    });
  }

  /** Asks nothing of the engine from here on; resolves when nothing runs on it. */
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
      // An attempt loads what it needs itself, and fails where it can't.
    }
  }
}
