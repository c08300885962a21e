import type { CameraStream, listWebCameras, openCameraStream, WebCamera } from '@svc/capture-web';
import { attemptSoon } from '@svc/page-kit';
import { CameraError, type CameraListeners, type CameraProblem, type Photo } from '../../ports.ts';
import type { FrameGuide } from '../guide/frame-guide.ts';

/** Error names of getUserMedia (Media Capture and Streams, section 10.3), and those of single browsers. */
const problems: Readonly<Record<string, CameraProblem>> = {
  NotAllowedError: 'denied',
  // A permissions policy of the embedding page or a browser setting forbids the camera.
  SecurityError: 'denied',
  NotFoundError: 'none',
  OverconstrainedError: 'none',
  NotReadableError: 'busy',
  // Firefox: the system gave no reason.
  AbortError: 'busy',
};

/** Turns the browser's error into the problem that the guest is told. */
function cameraErrorOf(cause: unknown): CameraError {
  if (cause instanceof CameraError) return cause;
  const name = cause instanceof Error || cause instanceof DOMException ? cause.name : '';
  return new CameraError(problems[name] ?? 'failed', { cause });
}

/** The browser's camera functions. */
export interface Cameras {
  readonly open: typeof openCameraStream;
  readonly list: typeof listWebCameras;
}

export interface SelfieCameraParts extends Pick<CameraListeners, 'onProblem'> {
  readonly cameras: Cameras;
  readonly guide: Pick<FrameGuide, 'follow' | 'restart' | 'close'>;
  /** Takes the picture that the element shows. */
  readonly take: (video: HTMLVideoElement) => Promise<Photo>;
  /** The camera is off while the page is hidden. */
  readonly page: Pick<Document, 'hidden' | 'addEventListener' | 'removeEventListener'>;
}

/** One camera session. */
interface Run {
  readonly stream: CameraStream;
  readonly ended: AbortController;
  readonly settings: MediaTrackSettings;
}

/** A camera that runs from `open` to `close`, except while the page is hidden. */
export class LiveCamera {
  readonly #parts: SelfieCameraParts;
  #video: HTMLVideoElement | null = null;
  #run: Run | null = null;
  /** Aborts the opening under way; null if there is none. */
  #opening: AbortController | null = null;
  #choice: CameraChoice = { facing: 'user' };
  #known: readonly WebCamera[] = [];
  #isClosed = false;

  constructor(parts: SelfieCameraParts) {
    this.#parts = parts;
  }

  /** Whether there is another camera; valid after `open` has resolved. */
  get canSwitch(): boolean {
    return this.#known.length > 1;
  }

  /** Whether to show the picture mirrored: not for a camera on the back. The photo itself is never mirrored. */
  get mirrored(): boolean {
    const facing = this.#run?.settings.facingMode ?? ('facing' in this.#choice ? this.#choice.facing : 'user');
    return facing !== 'environment';
  }

  /** Shows the camera in the element. @throws CameraError */
  async open(video: HTMLVideoElement): Promise<void> {
    if (this.#isClosed) throw new CameraError('failed');
    this.#video = video;
    this.#parts.page.addEventListener('visibilitychange', this.#onVisibility);
    try {
      await this.#start(this.#choice, false);
    } catch (error) {
      this.#parts.page.removeEventListener('visibilitychange', this.#onVisibility);
      throw error;
    }
  }

  /**
   * Shows the next camera in the same element, or the former again if no other opens.
   * @throws CameraError if none opens
   */
  async switch(): Promise<void> {
    const former = this.#choice;
    const choices = nextChoices(this.#run?.settings ?? {}, await attemptSoon(() => this.#parts.cameras.list(), []));
    this.#stop();
    for (const choice of choices) {
      try {
        return await this.#start(choice, true);
      } catch {
        // Try the next one; if none opens, return to the former.
      }
    }
    await this.#start(former, false);
  }

  /** Forgets the last steady moment and waits for the next: the page took no photo of it. */
  waitAgain(): void {
    this.#parts.guide.restart();
  }

  /**
   * The current picture, at which the element stops.
   * @throws CameraError if the camera is off. @throws PhotoError `image-invalid`
   */
  async take(): Promise<Photo> {
    if (this.#video === null || this.#run === null || this.#video.videoWidth === 0) throw new CameraError('failed');
    this.#parts.guide.restart();
    const photo = this.#parts.take(this.#video);
    // The guest sees the picture that was taken.
    this.#video.pause();
    return photo;
  }

  /** Switches the camera off immediately; idempotent. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#parts.page.removeEventListener('visibilitychange', this.#onVisibility);
    this.#stop();
    this.#parts.guide.close();
  }

  /** @throws CameraError */
  async #start(choice: CameraChoice, isStrict: boolean): Promise<void> {
    const video = this.#video;
    if (video === null || this.#isClosed) return;
    this.#stop();
    const opening = new AbortController();
    const { signal } = opening;
    this.#opening = opening;
    try {
      const stream = await this.#parts.cameras.open(constraintsOf(choice, isStrict), signal);
      if (stream === null) return;
      const run = { stream, ended: new AbortController(), settings: settingsOf(stream) };
      this.#run = run;
      this.#choice = choice;
      // Not stopped by us: the guest or the system took the camera away, or it was unplugged.
      stream.ended.addEventListener('abort', () => this.#run === run && void this.#lost(), { once: true });
      await show(video, stream.media);
      // Browsers list all cameras, with labels, only after permission was given.
      this.#known = await attemptSoon(() => this.#parts.cameras.list(), []);
      if (this.#run === run) this.#parts.guide.follow(video, run.ended.signal);
    } catch (cause) {
      // Stopped by us: no error to report.
      if (signal.aborted) return;
      this.#stop();
      throw cameraErrorOf(cause);
    } finally {
      if (this.#opening === opening) this.#opening = null;
    }
  }

  /** Switches the camera off immediately. */
  #stop(): void {
    const [opening, run] = [this.#opening, this.#run];
    // Cleared before aborting, so that the `ended` listener does not mistake this stop for a lost camera.
    this.#opening = null;
    this.#run = null;
    opening?.abort();
    run?.ended.abort();
    run?.stream.stop();
    if (this.#video !== null) this.#video.srcObject = null;
  }

  async #lost(): Promise<void> {
    this.#stop();
    const left = await attemptSoon(() => this.#parts.cameras.list(), []);
    if (!this.#isClosed) this.#parts.onProblem(left.length === 0 ? 'none' : 'failed');
  }

  readonly #onVisibility = (): void => {
    if (this.#parts.page.hidden) this.#stop();
    else if (this.#run === null) {
      this.#start(this.#choice, false).catch((error: unknown) => this.#parts.onProblem(cameraErrorOf(error).problem));
    }
  };
}

const settingsOf = ({ media }: CameraStream): MediaTrackSettings => media.getVideoTracks()[0]?.getSettings() ?? {};

async function show(video: HTMLVideoElement, media: MediaStream): Promise<void> {
  // Without these two, phones do not play the video or show it full screen.
  video.muted = true;
  video.playsInline = true;
  video.srcObject = media;
  await video.play();
}

/** A camera chosen by its facing mode or by its device id. */
type CameraChoice = { readonly facing: 'user' | 'environment' } | { readonly deviceId: string };

/** Enough for a photo of 1280 px, and supported by most cameras. */
const SIZE = { width: { ideal: 1280 }, height: { ideal: 960 } };

/** @param isStrict fail rather than open another camera; for a camera that the guest chose */
function constraintsOf(choice: CameraChoice, isStrict: boolean): MediaTrackConstraints {
  if ('deviceId' in choice) return { ...SIZE, deviceId: { exact: choice.deviceId } };
  return { ...SIZE, facingMode: isStrict ? { exact: choice.facing } : choice.facing };
}

/**
 * The cameras to try when the guest switches, best first. A phone may have several back cameras and chooses the right
 * one of them itself, so if the running camera reports its facing mode, the opposite mode comes first. Other cameras
 * come in turn.
 */
function nextChoices(
  shown: Pick<MediaTrackSettings, 'facingMode' | 'deviceId'>,
  cameras: readonly WebCamera[],
): readonly CameraChoice[] {
  const at = cameras.findIndex(({ deviceId }) => deviceId === shown.deviceId);
  const others = [...cameras.slice(at + 1), ...cameras.slice(0, Math.max(0, at))].map(({ deviceId }) => ({ deviceId }));
  if (shown.facingMode === 'user') return [{ facing: 'environment' }, ...others];
  if (shown.facingMode === 'environment') return [{ facing: 'user' }, ...others];
  return others;
}
