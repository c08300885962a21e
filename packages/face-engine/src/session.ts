import { type CoreImage, FaceError } from '@svc/core';
import { goldenInput, isGolden, type ModelBundle, type ModelEntry, type ModelName } from '@svc/face-models';
import { type NetworkModel, type NetworkRuntime, runtimeFailed } from './runtime/port.ts';
import type { EngineImage } from './types.ts';

/**
 * The core image behind an image opened by an engine. Recognised by shape, not class, since liveness and engine may
 * come from different bundles.
 * @throws FaceError `invalid-argument`
 */
export function coreImageOf(image: EngineImage): CoreImage {
  if ('warpToFloat' in image && 'warpToBytes' in image) return image as CoreImage;
  throw new FaceError('invalid-argument', 'not an image that an engine opened');
}

/**
 * A model that passed its golden check, with a queue: fill, run and read of different callers do not interleave. Inputs
 * and outputs are wiped before the next caller's turn.
 */
export class ModelSession {
  readonly #model: NetworkModel;
  #queue: Promise<unknown> = Promise.resolve();
  #isDisposed = false;

  constructor(model: NetworkModel) {
    this.#model = model;
  }

  /**
   * Runs the model once.
   * @param fill writes the model's input
   * @param read copies the needed outputs
   * @throws FaceError `runtime-failed`
   */
  infer<T>(fill: (input: Float32Array) => void, read: (model: NetworkModel) => T): Promise<T> {
    const result = this.#queue.then(async () => {
      try {
        fill(this.#model.input(0));
        await this.#model.run();
        return read(this.#model);
      } finally {
        this.#wipe();
      }
    });
    this.#queue = result.catch(() => undefined);
    return result;
  }

  /** Disposes the session once the queue is empty. */
  async retire(): Promise<void> {
    await this.#queue;
    this.dispose();
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#model.dispose();
  }

  #wipe(): void {
    if (this.#isDisposed) return;
    for (const i of this.#model.inputs.keys()) this.#model.input(i).fill(0);
    for (const i of this.#model.outputs.keys()) this.#model.output(i).fill(0);
  }
}

/**
 * Reads, loads and checks one model.
 * @throws FaceError `model-missing`, `model-mismatch` from the bundle, `runtime-failed` if it does not load,
 *   `golden-mismatch` if its outputs differ from the manifest's golden outputs on this runtime and machine
 */
export async function openSession(
  runtime: NetworkRuntime,
  bundle: ModelBundle,
  name: ModelName,
): Promise<ModelSession> {
  const entry = bundle.manifest.models[name];
  if (entry === undefined) throw new FaceError('model-missing', `the bundle has no ${name} model`);
  const bytes = await bundle.read(name).catch((cause: unknown) => {
    throw bundleFailure(name, cause);
  });
  const model = await runtime.load(bytes);
  const session = new ModelSession(model);
  try {
    await checkGolden(session, entry);
  } catch (cause) {
    session.dispose();
    throw runtimeFailed(`${name} could not be checked`, cause);
  }
  return session;
}

/**
 * Builds something from several models, each opened by {@link openSession}; if a step fails, the opened ones are freed.
 * @throws FaceError as {@link openSession}, and errors of `build`
 */
export async function openSessions<T>(
  runtime: NetworkRuntime,
  bundle: ModelBundle,
  build: (open: (name: ModelName) => Promise<ModelSession>) => Promise<T>,
): Promise<T> {
  const sessions: ModelSession[] = [];
  try {
    return await build(async (name) => {
      const session = await openSession(runtime, bundle, name);
      sessions.push(session);
      return session;
    });
  } catch (cause) {
    for (const session of sessions) session.dispose();
    throw cause;
  }
}

/** The bundle's errors as FaceErrors: `model-missing`, else `model-mismatch`. */
export function bundleFailure(what: string, cause: unknown): FaceError {
  const code = (cause as { code?: unknown }).code === 'model-missing' ? 'model-missing' : 'model-mismatch';
  return new FaceError(code, `${what} could not be read`, { cause });
}

async function checkGolden(session: ModelSession, entry: ModelEntry): Promise<void> {
  const given = goldenInput(entry);
  const fill = (input: Float32Array): void => {
    if (input.length !== given.length) throw mismatch(entry);
    input.set(given);
  };
  const outputs = await session.infer(fill, (model) => model.outputs.map((_, i) => model.output(i).slice()));
  if (!(await isGolden(entry.golden, outputs))) throw mismatch(entry);
}

function mismatch(entry: ModelEntry): FaceError {
  return new FaceError('golden-mismatch', `${entry.name} does not give its golden outputs on this runtime`);
}
