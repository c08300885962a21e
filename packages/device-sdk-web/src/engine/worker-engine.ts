import { coreKind, type FaceCore, FaceError, loadCore, type PixelImage } from '@svc/core';
import type {
  Detection,
  EmbedOptions,
  EngineChoice,
  EngineImage,
  EngineRecipe,
  EnrolResult,
  FaceAnalysis,
  FaceEngine,
  PassiveLiveness,
} from '@svc/face-engine';
import { EngineHost, type EngineLink } from './engine-host.ts';
import type { OperationName, OwnedPixels, WorkerOperations } from './messages.ts';

/** Options of {@link createWorkerEngine}. */
export interface WorkerEngineOptions {
  /** URL of the folder built by `svc-device-assets`, on the page's origin; relative to the page. */
  readonly assetsUrl: string | URL;
  /** Whether to load the passive check if the folder has its models. */
  readonly passive: boolean;
}

/** A face engine in a worker. Owned by the caller, who disposes it. */
export interface WorkerEngine {
  readonly engine: FaceEngine;
  /** Null if not requested, or the folder has no models for it. */
  readonly passiveLiveness: PassiveLiveness | null;
  /** Ends the worker. Idempotent. */
  dispose(): void;
}

/** A frame takes tens of milliseconds; a worker that does not answer for this long is replaced. */
const ANSWER_TIMEOUT_MS = 10_000;

/**
 * Creates a face engine in a dedicated worker; every model has run once when this resolves. If the worker crashes,
 * traps or hangs, the pending call fails with `runtime-failed` and the worker is replaced.
 * @throws FaceError `webassembly-missing`, `webview-too-old` if the core does not load, `model-missing`,
 *   `model-mismatch`, `golden-mismatch`, `runtime-failed`
 */
export async function createWorkerEngine(options: WorkerEngineOptions): Promise<WorkerEngine> {
  const core = await loadPageCore();
  const host = await EngineHost.start(options);
  const { passive } = host.facts;
  return {
    engine: new RemoteEngine(core, host),
    passiveLiveness:
      passive === null
        ? null
        : {
            ...passive,
            score: (image, face) => askAbout(image, (number) => ['score', { image: number, face }]),
            dispose: () => undefined,
          },
    dispose: () => host.dispose(),
  };
}

async function loadPageCore(): Promise<FaceCore> {
  try {
    return await loadCore();
  } catch (cause) {
    if (!FaceError.is(cause) || cause.code !== 'core-load-failed' || coreKind() === 'simd') throw cause;
    throw new FaceError('webview-too-old', 'not even the core without SIMD loads, or the page’s policy forbids it', {
      cause,
    });
  }
}

/** A frame in the worker's memory. */
class RemoteImage implements EngineImage {
  readonly width: number;
  readonly height: number;
  readonly link: EngineLink;
  readonly number: number;
  #disposed = false;

  constructor(link: EngineLink, number: number, { width, height }: PixelImage) {
    this.link = link;
    this.number = number;
    this.width = width;
    this.height = height;
  }

  dispose(): void {
    if (this.#disposed) return;
    this.#disposed = true;
    settledSilently(this.link.ask('dispose', { image: this.number }, { timeoutMs: ANSWER_TIMEOUT_MS }));
  }
}

class RemoteEngine implements FaceEngine {
  readonly engineId: string;
  readonly dimension: number;
  readonly matchThreshold: number;
  readonly recipes: readonly EngineRecipe[];
  readonly core: FaceCore;
  readonly #host: EngineHost;
  readonly #buffers = new FrameBuffers();
  #images = 0;

  constructor(core: FaceCore, host: EngineHost) {
    this.core = core;
    this.#host = host;
    const { engineId, recipes } = host.facts;
    const own = recipes.find((recipe) => recipe.engineId === engineId);
    if (own === undefined) throw new FaceError('runtime-failed', 'the worker has another engine than it says');
    this.engineId = engineId;
    this.dimension = own.dimension;
    this.matchThreshold = own.matchThreshold;
    this.recipes = recipes;
  }

  prepare(engineIds: readonly string[]): Promise<void> {
    return this.#host.prepare(engineIds);
  }

  open(image: PixelImage): EngineImage {
    const link = this.#host.link();
    const pixels = copied(image, this.#buffers);
    this.#images += 1;
    const opened = new RemoteImage(link, this.#images, image);
    const transfer = [pixels.data.buffer];
    const opening = link.ask('open', { image: opened.number, pixels }, { timeoutMs: ANSWER_TIMEOUT_MS, transfer });
    // If opening fails, so does the first request for the image.
    settledSilently(opening.then((wiped) => this.#buffers.takeBack(wiped)));
    return opened;
  }

  detect(image: EngineImage): Promise<readonly Detection[]> {
    return askAbout(image, (number) => ['detect', { image: number }]);
  }

  analyse(image: EngineImage, detection: Detection): Promise<FaceAnalysis | null> {
    return askAbout(image, (number) => ['analyse', { image: number, detection }]);
  }

  track(image: EngineImage, previous: FaceAnalysis): Promise<FaceAnalysis | null> {
    return askAbout(image, (number) => ['track', { image: number, previous }]);
  }

  embed(image: EngineImage, face: FaceAnalysis, options: EmbedOptions = {}): Promise<Float32Array> {
    return askAbout(image, (number) => ['embed', { image: number, face, options }]);
  }

  async enrol(image: PixelImage, choice: EngineChoice = {}): Promise<EnrolResult> {
    const pixels = copied(image);
    const transfer = [pixels.data.buffer];
    return this.#host.link().ask('enrol', { image: pixels, choice }, { timeoutMs: ANSWER_TIMEOUT_MS, transfer });
  }

  dispose(): void {
    this.#host.dispose();
  }
}

async function askAbout<Name extends OperationName>(
  image: EngineImage,
  question: (image: number) => readonly [Name, WorkerOperations[Name]['ask']],
): Promise<WorkerOperations[Name]['answer']> {
  if (!(image instanceof RemoteImage)) {
    throw new FaceError('invalid-argument', 'not an image that this engine opened');
  }
  const [name, ask] = question(image.number);
  return image.link.ask(name, ask, { timeoutMs: ANSWER_TIMEOUT_MS });
}

/** Copies to a buffer that is then transferred to the worker. @throws FaceError `image-invalid` */
function copied({ data, width, height, channels }: PixelImage, buffers = new FrameBuffers()): OwnedPixels {
  const fits = Number.isSafeInteger(width) && Number.isSafeInteger(height) && width > 0 && height > 0;
  if (!fits || data.length !== width * height * channels) {
    throw new FaceError('image-invalid', 'size, channels and byte length do not fit together');
  }
  return { data: buffers.copyOf(data), width, height, channels };
}

/** For calls whose result is not awaited. */
function settledSilently(asked: Promise<unknown>): void {
  asked.catch(() => undefined);
}

/** Frames at the worker or in transit: the current one and the next. */
const MOST_FREE = 2;

/**
 * Buffers that carry frames to the worker and return empty. Allocating a megabyte per frame would trigger a full
 * garbage collection of page and worker every few frames, tens of milliseconds each.
 */
export class FrameBuffers {
  #free: Uint8Array<ArrayBuffer>[] = [];

  /** A copy in its own, transferable buffer. */
  copyOf(pixels: Uint8Array | Uint8ClampedArray): Uint8Array<ArrayBuffer> {
    const at = this.#free.findIndex(({ length }) => length === pixels.length);
    const [kept] = at === -1 ? [] : this.#free.splice(at, 1);
    if (kept === undefined) return new Uint8Array(pixels);
    kept.set(pixels);
    return kept;
  }

  /** Takes back a wiped buffer. The latest are kept: a camera's frames have one size. */
  takeBack(wiped: Uint8Array<ArrayBuffer>): void {
    this.#free = [wiped, ...this.#free].slice(0, MOST_FREE);
  }
}
