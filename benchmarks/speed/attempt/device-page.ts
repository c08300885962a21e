/** Called in the page by the benchmark: a device as a product would create it, and attempts before its camera. */
import { createFrameGrabber, nextVideoFrame } from '@svc/capture-web';
import type { CheckInDevice } from '@svc/device-sdk';
import { createWebDevice, type WebDeviceOptions } from '@svc/device-sdk-web';
import { type AttemptTimes, timeAttempt } from './time-attempt.ts';
import { chooseDirections, FRAME_MS, framePath, type Moment, personIdOf, type Visit } from './visitor.ts';

let device: CheckInDevice | null = null;
const choose = chooseDirections();

const pixelsAt = async (path: string): Promise<Uint8ClampedArray<ArrayBuffer>> =>
  new Uint8ClampedArray(await (await fetch(path)).arrayBuffer());

const page = {
  /** @returns whether the device has the list */
  async open(options: WebDeviceOptions): Promise<boolean> {
    device = await createWebDevice(options);
    return (await device.syncAsync()).ok;
  },

  async attempt(visit: Visit, width: number, height: number): Promise<AttemptTimes> {
    if (device === null) throw new Error('no device is open');
    choose(visit.direction);
    return timeAttempt({
      device,
      personId: personIdOf(visit.person),
      async picture(moment: Moment) {
        return { data: await pixelsAt(framePath(visit.person, moment)), width, height, channels: 4 };
      },
      clocks: { wallMs: () => performance.now(), processorMs: () => globalThis.rendererMs() },
    });
  },

  /** The frame at this path as a video, read like the device's camera. */
  async readVideo(path: string, width: number, height: number): Promise<number> {
    const picture = new ImageData(await pixelsAt(path), width, height);
    const canvas = Object.assign(document.createElement('canvas'), { width, height });
    const context = canvas.getContext('2d');
    const video = document.querySelector('video');
    if (context === null || video === null) throw new Error('a page without canvas or video');
    const stream = canvas.captureStream();
    const grabber = createFrameGrabber(Math.max(width, height));
    const painting = setInterval(() => context.putImageData(picture, 0, 0), FRAME_MS);
    try {
      video.srcObject = stream;
      await video.play();
      await nextVideoFrame(video, { signal: new AbortController().signal, timeoutMs: 10_000 });
      const startedAtMs = performance.now();
      const grabbed = grabber.grab(video);
      const wallMs = performance.now() - startedAtMs;
      if (grabbed.width !== width || grabbed.height !== height) throw new Error('the video has another size');
      return wallMs;
    } finally {
      clearInterval(painting);
      grabber.dispose();
      video.srcObject = null;
      for (const track of stream.getTracks()) track.stop();
    }
  },
};

declare global {
  // Globals can only be declared with `var`.
  var devicePage: typeof page;
  /** Functions of the benchmark outside the browser. */
  var rendererMs: () => Promise<number | null>;
}

globalThis.devicePage = page;
