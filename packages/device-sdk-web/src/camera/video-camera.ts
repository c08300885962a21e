import { type CameraStream, createFrameGrabber, nextVideoFrame, openCameraStream, orEnd } from '@svc/capture-web';
import type { Camera, CameraFrame, LightColour, Prompt } from '@svc/device-sdk';

/** Options of {@link createVideoCamera}. */
export interface VideoCameraOptions {
  /** Shows the current instruction; see `Prompt` of the device SDK. */
  onPrompt(prompt: Prompt): void;
  /** Which camera to open and how. Default: the one that faces the person, 640 × 480. */
  readonly constraints?: MediaTrackConstraints;
  /**
   * Shows a colour on as much of the page as possible, at once and without fading; null restores the page. With it the
   * device runs the light challenge. Omit it for people who asked for reduced motion.
   */
  showLight?(colour: LightColour | null): void;
  /** Luminous intensity of the screen when all white, candela: see `ScreenLight` of the device SDK. */
  readonly screenCandela?: number;
}

const STANDARD: MediaTrackConstraints = {
  facingMode: 'user',
  width: { ideal: 640 },
  height: { ideal: 480 },
  frameRate: { ideal: 30 },
};
/**
 * A camera that delivers no frame for this long after its first is treated as gone: unplugged, blocked by the system,
 * or in a hidden page.
 */
const STALLED_AFTER_MS = 3_000;
const LONGEST_SIDE_PX = 1280;

/**
 * Creates a camera over getUserMedia, which is on only during an attempt. The video element shows it during the
 * attempt. Frames are never mirrored: mirror the element by CSS only (`transform: scaleX(-1)`).
 *
 * The frames end with the error of getUserMedia (`NotAllowedError`, `NotFoundError`, `NotReadableError`, …), or with an
 * error if the camera stops or stalls.
 *
 * `origin` is `device` until the stream is open, and then what the browser says of it: `unknown` for the track of a
 * canvas or a screen, without an id or a name, and for cameras that programs draw, by their names.
 */
export function createVideoCamera(
  video: HTMLVideoElement,
  { onPrompt, constraints, showLight, screenCandela }: VideoCameraOptions,
): Camera {
  let open: CameraStream | null = null;
  return {
    prompt: onPrompt,
    get origin() {
      return open?.isDevice === false ? 'unknown' : 'device';
    },
    ...(showLight
      ? { light: { show: showLight, ...(screenCandela === undefined ? {} : { candela: screenCandela }) } }
      : {}),
    async *frames(signal): AsyncGenerator<CameraFrame> {
      const stream = await openCameraStream(constraints ?? STANDARD, signal);
      if (stream === null) return;
      open = stream;
      const grabber = createFrameGrabber(LONGEST_SIDE_PX);
      try {
        // `play` waits for a picture, which may never arrive.
        await orEnd(play(video, stream.media), stream.ended);
        let lastAtMs: number | null = null;
        for (;;) {
          const shown = await nextVideoFrame(video, {
            signal: stream.ended,
            // The attempt itself limits the time until the first frame.
            timeoutMs: lastAtMs === null ? Number.POSITIVE_INFINITY : STALLED_AFTER_MS,
          });
          if (signal.aborted) return;
          const atMs = performance.now();
          const stalled = lastAtMs !== null && atMs - lastAtMs >= STALLED_AFTER_MS;
          if (shown === 'ended') throw new Error('the camera stopped');
          // A muted camera, for example by a hardware switch, shows black.
          if (shown === 'frame' && !stream.isMuted()) {
            lastAtMs = atMs;
            const image = await grabber.grab(video);
            const release = () => grabber.reuse(image.data.fill(0));
            yield { image, timestampMs: atMs, release };
          } else if (shown === 'stalled' || stalled) throw new Error('the camera stalled');
        }
      } finally {
        grabber.dispose();
        // The next attempt may already show its own stream.
        if (open === stream) open = null;
        if (video.srcObject === stream.media) video.srcObject = null;
        stream.stop();
      }
    },
  };
}

async function play(video: HTMLVideoElement, media: MediaStream): Promise<void> {
  // Without these two, phones play nothing or go full screen.
  video.muted = true;
  video.playsInline = true;
  video.srcObject = media;
  await video.play();
}

/** CSS pixels per centimetre: about 58 on phones, 52 on tablets, 45 on laptops. */
const pixelsPerCm = 52;
/** Luminance in cd/m²: laptops have about 250, phones 500. */
const luminance = 400;

/**
 * Luminous intensity of a white screen in candela, from its size in CSS pixels; within a factor of 1.4 for phones,
 * tablets and laptops at full brightness.
 */
export const screenCandela = ({ width, height }: Pick<Screen, 'width' | 'height'>): number =>
  luminance * (width / pixelsPerCm / 100) * (height / pixelsPerCm / 100);
