/** A running camera. */
export interface CameraStream {
  readonly media: MediaStream;
  /** Aborts when the camera stops on its own, or the attempt is over. */
  readonly ended: AbortSignal;
  /** What the browser says of its track: it is a device with an id and a name, and none that programs draw. */
  readonly isDevice: boolean;
  /** True while the system withholds the picture. */
  isMuted(): boolean;
  /** Switches the camera off. Idempotent. */
  stop(): void;
}

/**
 * Opens a camera.
 * @returns null if `signal` aborted first; a camera that opens later is switched off at once
 * @throws DOMException of getUserMedia; an Error named `NotFoundError` if the page has no camera access at all
 */
export async function openCameraStream(
  constraints: MediaTrackConstraints,
  signal: AbortSignal,
): Promise<CameraStream | null> {
  // Missing outside a secure context, despite its type.
  const { mediaDevices } = navigator as { readonly mediaDevices?: MediaDevices };
  if (mediaDevices === undefined) throw new DOMException('this page has no access to cameras', 'NotFoundError');
  const asked = mediaDevices.getUserMedia({ video: constraints, audio: false });
  const media = await orEnd(asked, signal);
  if (media === null) {
    asked.then(switchOff, () => undefined);
    return null;
  }
  const ended = new AbortController();
  const end = () => ended.abort();
  for (const track of media.getVideoTracks()) track.addEventListener('ended', end);
  signal.addEventListener('abort', end, { once: true });
  return {
    media,
    ended: ended.signal,
    isDevice: media.getVideoTracks().length > 0 && media.getVideoTracks().every(isDeviceTrack),
    isMuted: () => media.getVideoTracks().some(({ muted }) => muted),
    stop() {
      signal.removeEventListener('abort', end);
      for (const track of media.getVideoTracks()) track.removeEventListener('ended', end);
      switchOff(media);
    },
  };
}

/** Names of cameras whose picture comes from a program; “Dummy video device” is v4l2loopback's, `fake_device` Chromium's. */
const DRAWN =
  /\b(obs|vcam|ivcam|virtual (web)?cam(era)?|manycam|snap ?camera|camtwist|mmhmm|splitcam|youcam|altercam|droidcam|iriun|epoccam|camo|ndi|unity video|nvidia broadcast|eos webcam utility|v4l2loopback|dummy video device)\b|fake_device/i;

/** Whether the browser says that a track is of a camera: for tracks of getUserMedia, not of a canvas or a screen. */
function isDeviceTrack(track: MediaStreamTrack): boolean {
  const { deviceId = '', displaySurface } = track.getSettings();
  const isOfSystem = deviceId !== '' && displaySurface === undefined;
  // Only a canvas's track has a canvas.
  return isOfSystem && !('canvas' in track) && track.label !== '' && !DRAWN.test(track.label);
}

/** The step, or null once the signal aborts: nothing that hangs keeps a camera on. */
export const orEnd = <T>(step: Promise<T>, signal: AbortSignal): Promise<T | null> =>
  new Promise((resolve, reject) => {
    const end = () => resolve(null);
    signal.addEventListener('abort', end, { once: true });
    step.then(resolve, reject).finally(() => signal.removeEventListener('abort', end));
    if (signal.aborted) end();
  });

/** Ends early if the signal aborts. */
export const pause = (ms: number, ended: AbortSignal): Promise<unknown> =>
  orEnd(new Promise((resolve) => setTimeout(resolve, ms)), ended);

function switchOff(media: MediaStream): void {
  for (const track of media.getTracks()) track.stop();
}

/** A camera known to this browser. */
export interface WebCamera {
  /** For `constraints: { deviceId: { exact: … } }`; differs between sites and changes when site data is deleted. */
  readonly deviceId: string;
  /** The system's name for it; empty until the user has allowed a camera once. */
  readonly label: string;
}

/** Lists the current cameras; empty if the browser does not tell. Does not ask for permission. Never rejects. */
export async function listWebCameras(): Promise<readonly WebCamera[]> {
  const list = async () => navigator.mediaDevices.enumerateDevices();
  const devices = await list().catch(() => []);
  return devices.flatMap(({ kind, deviceId, label }) => (kind === 'videoinput' ? [{ deviceId, label }] : []));
}
