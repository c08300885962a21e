import { createFrameGrabber, nextVideoFrame, openCameraStream } from '@svc/capture-web';
import type { Camera, CameraFrame, LightColour, Prompt } from '@svc/device-sdk';

export interface VideoCameraOptions {
  /** Shows what to do now; see `Prompt` of the device SDK. */
  onPrompt(prompt: Prompt): void;
  /** Which camera and how; left out: the one that faces the person, 640 × 480. */
  readonly constraints?: MediaTrackConstraints;
  /**
   * Shows a colour on as much of the page as can be, at once and without fading; null gives the page back. With it the
   * device asks the face to answer the light. Leave it out for whoever asked for reduced motion.
   */
  showLight?(colour: LightColour | null): void;
  /** What the page's screen gives all white, candela: see `ScreenLight` of the device SDK. */
  readonly screenCandela?: number;
}

const STANDARD: MediaTrackConstraints = {
  facingMode: 'user',
  width: { ideal: 640 },
  height: { ideal: 480 },
  frameRate: { ideal: 30 },
};
/**
 * A camera that gave frames and then none for as long as this is gone: unplugged, covered by the system, or in a page
 * nobody sees.
 */
const STALLED_AFTER_MS = 3_000;
const LONGEST_SIDE_PX = 1280;

/**
 * A camera over getUserMedia. The video element shows it while an attempt runs, as it is: show it mirrored by CSS alone
 * (`transform: scaleX(-1)`), the frames never are. The camera is on only during an attempt.
 *
 * The frames end with what getUserMedia says (`NotAllowedError`, `NotFoundError`, `NotReadableError`, …), or with an
 * error when the camera stops or stalls.
 */
export function createVideoCamera(
  video: HTMLVideoElement,
  { onPrompt, constraints, showLight, screenCandela }: VideoCameraOptions,
): Camera {
  return {
    prompt: onPrompt,
    ...(showLight
      ? { light: { show: showLight, ...(screenCandela === undefined ? {} : { candela: screenCandela }) } }
      : {}),
    async *frames(signal): AsyncGenerator<CameraFrame> {
      const stream = await openCameraStream(constraints ?? STANDARD, signal);
      if (stream === null) return;
      const grabber = createFrameGrabber(LONGEST_SIDE_PX);
      try {
        // `play` waits for a picture, which may never come.
        await Promise.race([play(video, stream.media), aborted(stream.ended)]);
        let lastAtMs: number | null = null;
        for (;;) {
          const shown = await nextVideoFrame(video, {
            signal: stream.ended,
            // The attempt itself knows how long a camera may take to start.
            timeoutMs: lastAtMs === null ? Number.POSITIVE_INFINITY : STALLED_AFTER_MS,
          });
          if (signal.aborted) return;
          const atMs = performance.now();
          const stalled = lastAtMs !== null && atMs - lastAtMs >= STALLED_AFTER_MS;
          if (shown === 'ended') throw new Error('the camera stopped');
          // A muted camera, as by a switch of the computer's, shows black.
          if (shown === 'frame' && !stream.isMuted()) {
            lastAtMs = atMs;
            const image = grabber.grab(video);
            yield { image, timestampMs: atMs, release: () => image.data.fill(0) };
          } else if (shown === 'stalled' || stalled) throw new Error('the camera stalled');
        }
      } finally {
        grabber.dispose();
        // The next attempt may show its own already.
        if (video.srcObject === stream.media) video.srcObject = null;
        stream.stop();
      }
    },
  };
}

async function play(video: HTMLVideoElement, media: MediaStream): Promise<void> {
  // Without these two, phones play nothing or take the whole screen.
  video.muted = true;
  video.playsInline = true;
  video.srcObject = media;
  await video.play();
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
