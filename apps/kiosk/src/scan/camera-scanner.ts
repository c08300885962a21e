import {
  createFrameGrabber,
  type FrameGrabber,
  type GrabbedImage,
  openCameraStream,
  orEnd,
  pause,
} from '@svc/capture-web';
import { attempt, attemptSoon, tellIfSlow } from '@svc/page-kit';
import type { CameraProblem } from '../view-model/state.ts';

/** A code in one picture. */
export interface SeenCode {
  readonly text: string;
  /** Format name of `BarcodeDetector`. */
  readonly format: string;
}

/** Formats with error correction. A misread bar code can be another valid one, so bar codes must be read twice. */
const correctsErrors = new Set(['qr_code', 'micro_qr_code', 'rm_qr_code', 'data_matrix', 'aztec', 'pdf417']);

/** A ticket is read again only after the camera saw it away this long. */
const AWAY_MS = 2_000;

/** Turns the many pictures of a code into one scan. Remembers the last code until it is out of sight. */
export class CodeFilter {
  #candidate: string | null = null;
  #held: { readonly text: string; seenMs: number; isAway: boolean } | null = null;

  /**
   * The camera was off, for example during an attempt. This time does not count as away: the ticket may still lie
   * before the camera.
   */
  resume(nowMs: number): void {
    if (this.#held !== null) this.#held = { ...this.#held, seenMs: nowMs, isAway: false };
    this.#candidate = null;
  }

  /** @param seen all codes of one picture @returns the new scan, or null */
  see(seen: readonly SeenCode[], nowMs: number): string | null {
    const held = this.#held;
    // Pictures come late on a busy machine: without one that lacks the code, it was never away.
    if (held?.isAway && nowMs - held.seenMs > AWAY_MS) this.#held = null;
    const texts = new Set(seen.map(({ text }) => text));
    if (held !== null && !texts.has(held.text)) held.isAway = true;
    const [code] = seen;
    // With two tickets side by side it is unclear which is meant.
    if (code === undefined || texts.size !== 1 || code.text === '') {
      this.#candidate = null;
      return null;
    }
    if (this.#held?.text === code.text) {
      this.#held = { text: code.text, seenMs: nowMs, isAway: false };
      return null;
    }
    if (!correctsErrors.has(code.format) && this.#candidate !== code.text) {
      this.#candidate = code.text;
      return null;
    }
    this.#candidate = null;
    this.#held = { text: code.text, seenMs: nowMs, isAway: false };
    return code.text;
  }
}

/** {@link createCameraScanner} */
export type CodeScanner = ReturnType<typeof createCameraScanner>;

interface ScanOptions {
  readonly video: HTMLVideoElement;
  /** `MediaDeviceInfo.deviceId`; null: the back camera, if there are two. */
  readonly cameraId: string | null;
  readonly onCode: (text: string) => void;
  /** Why no codes are read, or what is waited for; null once they are. */
  readonly onProblem: (problem: CameraProblem | null) => void;
}

/** Interval of pictures: fast enough for a ticket held up, slow enough for a tablet without a fan. */
const PERIOD_MS = 120;
const LONGEST_SIDE_PX = 1280;
/** A worker that has not answered for this long hangs; the first answer takes seconds on a slow tablet. */
const READ_MS = 30_000;
/** Interval of tries to reopen a camera that was lost or is used by another program. */
const RETRY_MS = 3_000;

/** No worker, no pictures for it, or no detector in it. */
const noReader = (): TypeError => new TypeError('this browser reads no codes');

/** Why getUserMedia refused, by the name of its error (W3C Media Capture and Streams, section 10.2). */
export function cameraProblemOf(error: unknown): CameraProblem {
  const name = error instanceof Error ? error.name : '';
  if (name === 'NotAllowedError' || name === 'SecurityError') return 'denied';
  if (name === 'NotFoundError' || name === 'OverconstrainedError') return 'missing';
  return name === 'TypeError' ? 'unsupported' : 'lost';
}

/** The worker's answer: the codes, null without a detector, and the picture's array, wiped. */
export interface CodesOfPicture {
  readonly seen: readonly SeenCode[] | null;
  readonly data: GrabbedImage['data'];
}

/** Asks the worker for the codes of one picture at a time. */
async function readCodes(worker: Worker, grabber: FrameGrabber, video: HTMLVideoElement) {
  const picture = await grabber.grab(video);
  return new Promise<CodesOfPicture['seen']>((resolve, reject) => {
    worker.onmessage = ({ data: { seen, data } }: MessageEvent<CodesOfPicture>) => {
      grabber.reuse(data);
      resolve(seen);
    };
    worker.onerror = reject;
    worker.postMessage(picture, [picture.data.buffer]);
  });
}

async function openCamera(cameraId: string | null, signal: AbortSignal) {
  const size = { width: { ideal: 1280 }, height: { ideal: 720 } };
  const which = cameraId === null ? { facingMode: 'environment' } : { deviceId: { exact: cameraId } };
  // Undefined unless the page is served over https.
  if (navigator.mediaDevices === undefined) throw new TypeError('no camera in this context');
  return openCameraStream({ ...size, ...which }, signal);
}

/** Resolves when the camera is lost or the signal aborts. @throws errors of the camera or the worker */
async function watch(
  o: ScanOptions,
  filter: CodeFilter,
  createWorker: () => Worker,
  signal: AbortSignal,
): Promise<void> {
  const slowly = <T>(step: Promise<T>, problem: CameraProblem, ended = signal) =>
    tellIfSlow(orEnd(step, ended), (isSlow) => {
      if (!signal.aborted) o.onProblem(isSlow ? problem : null);
    });
  const camera = await slowly(openCamera(o.cameraId, signal), 'lost');
  if (camera === null) return;
  const { media, ended } = camera;
  const worker = attempt(createWorker, null);
  const grabber = createFrameGrabber(LONGEST_SIDE_PX);
  try {
    if (worker === null) throw noReader();
    const { video } = o;
    video.muted = true;
    video.playsInline = true;
    video.srcObject = media;
    await slowly(video.play(), 'lost', ended);
    filter.resume(performance.now());
    for (; !ended.aborted; await pause(PERIOD_MS, ended)) {
      if (video.readyState < HTMLMediaElement.HAVE_CURRENT_DATA || document.hidden) continue;
      const read = attemptSoon(() => readCodes(worker, grabber, video), null, READ_MS);
      const seen = await slowly(read, 'slow', ended);
      if (ended.aborted) return;
      if (seen === null) throw noReader();
      o.onProblem(null);
      const code = filter.see(seen, performance.now());
      if (code !== null) o.onCode(code);
    }
  } finally {
    worker?.terminate();
    grabber.dispose();
    camera.stop();
    if (o.video.srcObject === media) o.video.srcObject = null;
  }
}

/**
 * Looks for QR codes and barcodes with a camera and a worker. The filter is shared by all starts, so that a ticket left before the camera
 * is not read twice.
 */
export function createCameraScanner(createWorker: () => Worker) {
  const filter = new CodeFilter();
  return {
    /**
     * Starts the camera, shows it in `video` and looks for codes until stopped. A lost camera is reopened automatically.
     * @returns stops it and turns the camera off
     */
    start(o: ScanOptions): () => void {
      const stop = new AbortController();
      const { signal } = stop;
      void (async () => {
        while (!signal.aborted) {
          const problem = await watch(o, filter, createWorker, signal).then(() => 'lost' as const, cameraProblemOf);
          if (signal.aborted) return;
          o.onProblem(problem);
          await pause(RETRY_MS, signal);
        }
      })();
      return () => stop.abort();
    },
  };
}
