import { createVideoCamera } from '../camera/video-camera.ts';

/** A camera and one attempt at it. */
export function openCamera() {
  const video = document.createElement('video');
  const camera = createVideoCamera(video, { onPrompt: () => undefined });
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
