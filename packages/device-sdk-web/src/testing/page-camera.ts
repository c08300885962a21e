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
    /** Takes frames until there are no more. */
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

/** From here on getUserMedia gives a canvas of 64 × 48 that is drawn anew all the time. */
export function fakeCamera(paint: (context: CanvasRenderingContext2D) => void) {
  const canvas = Object.assign(document.createElement('canvas'), { width: 64, height: 48 });
  const context = canvas.getContext('2d');
  if (context === null) throw new Error('no canvas');
  const timer = setInterval(() => paint(context), 20);
  navigator.mediaDevices.getUserMedia = async () => canvas.captureStream();
  return { draw: { stop: () => clearInterval(timer) } };
}
