import { createVideoCamera } from '../camera/video-camera.ts';

/** A camera and one attempt at it. */
export function openCamera(constraints?: MediaTrackConstraints) {
  const video = document.createElement('video');
  const camera = createVideoCamera(video, {
    onPrompt: () => undefined,
    ...(constraints === undefined ? {} : { constraints }),
  });
  const abort = new AbortController();
  const frames = camera.frames(abort.signal)[Symbol.asyncIterator]();
  const next = async () => {
    const { done, value } = await frames.next();
    return done === true ? null : value;
  };
  return {
    video,
    camera,
    next,
    /** Reads frames to the end. */
    async drain() {
      while ((await next()) !== null);
    },
    abort: () => abort.abort(),
    async stop() {
      abort.abort();
      await frames.return?.();
    },
  };
}

/** Makes getUserMedia return a continuously redrawn canvas of 64 × 48. */
export function fakeCamera(paint: (context: CanvasRenderingContext2D) => void) {
  const canvas = Object.assign(document.createElement('canvas'), { width: 64, height: 48 });
  const context = canvas.getContext('2d');
  if (context === null) throw new Error('no canvas');
  const timer = setInterval(() => paint(context), 20);
  navigator.mediaDevices.getUserMedia = async () => canvas.captureStream();
  return { draw: { stop: () => clearInterval(timer) } };
}

/** The workers that the page starts from now on. */
export function recordWorkers(): Worker[] {
  const workers: Worker[] = [];
  globalThis.Worker = class extends globalThis.Worker {
    constructor(url: string | URL, options?: WorkerOptions) {
      super(url, options);
      workers.push(this);
    }
  };
  return workers;
}

/**
 * Makes the thread stop permanently after its nth change of a database, while the transaction is open.
 * @param onStop called immediately before
 */
export function stopAtChange(nth: number, onStop: () => void): void {
  // Shared memory, which waiting requires; pages without isolation get it only this way.
  const { buffer } = new WebAssembly.Memory({ initial: 1, maximum: 1, shared: true });
  let changes = 0;
  for (const name of ['put', 'delete', 'clear'] as const) {
    const change = IDBObjectStore.prototype[name] as (...args: unknown[]) => IDBRequest;
    IDBObjectStore.prototype[name] = function (this: IDBObjectStore, ...args: unknown[]) {
      const request = change.apply(this, args);
      changes += 1;
      if (changes === nth) {
        onStop();
        Atomics.wait(new Int32Array(buffer), 0, 0);
      }
      return request;
    } as never;
  }
}
