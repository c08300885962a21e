import { WorkerLink } from '@svc/capture-web';
import { FaceError } from '@svc/core';
import { WORKER_PATHS } from '../assets/asset-manifest.ts';
import type { EngineFacts, WorkerOperations } from './messages.ts';

export type EngineLink = WorkerLink<WorkerOperations>;

/** Time limit for loading and running every model once, on a slow device and network. */
const START_TIMEOUT_MS = 120_000;

export interface EngineHostOptions {
  readonly assetsUrl: string | URL;
  readonly passive: boolean;
}

/** Keeps one worker running: a worker that ends is replaced at once or, if that fails, at the next use. */
export class EngineHost {
  readonly facts: EngineFacts;
  readonly #options: EngineHostOptions;
  #link: EngineLink | null;
  /** Engines that the worker was last asked to load; null: its default engine. */
  #prepared: readonly string[] | null = null;
  #disposed = false;

  private constructor(options: EngineHostOptions, facts: EngineFacts, link: EngineLink) {
    this.#options = options;
    this.facts = facts;
    this.#link = link;
  }

  /** @throws FaceError `model-missing`, `model-mismatch`, `golden-mismatch`, `runtime-failed` */
  static async start(options: EngineHostOptions): Promise<EngineHost> {
    let onEnd = () => {};
    const { link, started } = startLink(options, () => onEnd());
    try {
      const host = new EngineHost(options, await started, link);
      onEnd = () => host.#restart(link);
      return host;
    } catch (error) {
      link.end();
      throw error;
    }
  }

  /** The current worker, which may still be loading its models. @throws FaceError `runtime-failed` after `dispose` */
  link(): EngineLink {
    if (this.#disposed) throw new FaceError('runtime-failed', 'the engine was disposed');
    if (this.#link === null) this.#restart(null);
    if (this.#link === null) throw new FaceError('runtime-failed', 'the engine’s worker does not start');
    return this.#link;
  }

  /**
   * Makes this worker and its replacements load the networks of these engines.
   * @throws FaceError as `FaceEngine.prepare`
   */
  async prepare(engineIds: readonly string[]): Promise<void> {
    this.#prepared = engineIds;
    await this.link().ask('prepare', { engineIds }, { timeoutMs: START_TIMEOUT_MS });
  }

  /** Idempotent. */
  dispose(): void {
    this.#disposed = true;
    this.#link?.end();
    this.#link = null;
  }

  #restart(ended: EngineLink | null): void {
    if (this.#disposed || this.#link !== ended) return;
    let ready = false;
    const { link, started } = startLink(this.#options, () => {
      if (ready) this.#restart(link);
      else if (this.#link === link) this.#link = null;
    });
    this.#link = link;
    started.then(
      (facts) => {
        ready = true;
        // The server's models changed meanwhile. Templates of different engines must not be compared, nor scores of
        // different checks.
        if (!areSame(facts, this.facts)) return this.dispose();
        // If loading fails now, it is repeated where the engine is needed.
        if (this.#prepared !== null) void this.prepare(this.#prepared).catch(() => undefined);
      },
      () => link.end(),
    );
  }
}

const areSame = (a: EngineFacts, b: EngineFacts): boolean =>
  a.engineId === b.engineId &&
  JSON.stringify(a.recipes) === JSON.stringify(b.recipes) &&
  a.passive?.name === b.passive?.name &&
  a.passive?.calibration.id === b.passive?.calibration.id;

function startLink(options: EngineHostOptions, onEnd: () => void) {
  const base = new URL(options.assetsUrl, location.href);
  // Accepts a folder with or without a trailing slash.
  if (!base.pathname.endsWith('/')) base.pathname += '/';
  const worker = new Worker(new URL(WORKER_PATHS.worker, base), { name: 'svc-face-engine' });
  const link: EngineLink = new WorkerLink(worker, onEnd);
  const started = link.ask('start', { baseUrl: base.href, passive: options.passive }, { timeoutMs: START_TIMEOUT_MS });
  return { link, started };
}
