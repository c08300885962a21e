/**
 * Replaces the browser's cameras by pictures from the test. Runs in the page before its own scripts, so it cannot use
 * this file's scope.
 */

/** A camera of the browser. */
export interface FakeCameraDevice {
  readonly deviceId: string;
  /** Left out: the facing mode is unknown, as for most computers. */
  readonly facing?: 'user' | 'environment';
}

export interface FakeCameraOptions {
  /** Default: one front camera. */
  readonly devices?: readonly FakeCameraDevice[];
  /** Name of the error that getUserMedia rejects with. */
  readonly fails?: string;
  /** In px. Default 640 × 480. */
  readonly size?: readonly [width: number, height: number];
}

/** Called by tests as `globalThis.fakeCamera`. */
export interface FakeCamera {
  /** The picture from now on. */
  show(jpegBase64: string): Promise<void>;
  /** A looped film from now on. The page's policy must allow videos from memory. */
  play(webmBase64: string): Promise<void>;
  /** The error of getUserMedia from now on; null: none. */
  fail(name: string | null): void;
  /** Unplugs the running camera: streams end as in a browser, and there is no camera afterwards. */
  unplug(): void;
  /** Number of cameras that are on. */
  lit(): readonly string[];
}

export function installFakeCamera(options: FakeCameraOptions): void {
  const scope = globalThis as unknown as { fakeCamera: FakeCamera; navigator: Navigator; document: Document };
  const FRAME_MS = 50;
  let devices = options.devices ?? [{ deviceId: 'front', facing: 'user' as const }];
  let fails = options.fails ?? null;
  let picture: ImageBitmap | HTMLVideoElement | null = null;
  const running = new Map<MediaStreamTrack, string>();

  scope.fakeCamera = {
    async show(jpegBase64) {
      const bytes = Uint8Array.from(atob(jpegBase64), (char) => char.charCodeAt(0));
      picture = await createImageBitmap(new Blob([bytes], { type: 'image/jpeg' }));
    },
    async play(webmBase64) {
      const bytes = Uint8Array.from(atob(webmBase64), (char) => char.charCodeAt(0));
      const film = Object.assign(scope.document.createElement('video'), { muted: true, loop: true });
      film.src = URL.createObjectURL(new Blob([bytes], { type: 'video/webm' }));
      await film.play();
      picture = film;
    },
    fail(name) {
      fails = name;
    },
    unplug() {
      devices = [];
      for (const track of running.keys()) {
        track.stop();
        // A page's own stop() fires no event; unplugging does.
        track.dispatchEvent(new Event('ended'));
      }
    },
    lit: () => [...running].flatMap(([track, deviceId]) => (track.readyState === 'live' ? [deviceId] : [])),
  };

  type Wanted = { readonly exact?: string } | string | undefined;
  const exactly = (wanted: Wanted) => (typeof wanted === 'object' ? wanted.exact : undefined);

  navigator.mediaDevices.enumerateDevices = async () =>
    devices.map(({ deviceId }) => ({ deviceId, kind: 'videoinput', label: deviceId, groupId: '', toJSON: () => ({}) }));

  navigator.mediaDevices.getUserMedia = async (constraints) => {
    if (fails !== null) throw new DOMException('refused', fails);
    const video = constraints?.video as { readonly deviceId?: Wanted; readonly facingMode?: Wanted } | undefined;
    const [deviceId, facing] = [exactly(video?.deviceId), exactly(video?.facingMode)];
    const fits = (device: FakeCameraDevice) =>
      (deviceId === undefined || device.deviceId === deviceId) && (facing === undefined || device.facing === facing);
    const device = devices.find(fits);
    if (device === undefined)
      throw new DOMException('no such camera', devices.length === 0 ? 'NotFoundError' : 'OverconstrainedError');
    const canvas = scope.document.createElement('canvas');
    [canvas.width, canvas.height] = options.size ?? [640, 480];
    const context = canvas.getContext('2d');
    const stream = canvas.captureStream();
    const [track] = stream.getVideoTracks();
    if (track === undefined || context === null) throw new DOMException('no canvas', 'NotReadableError');
    track.getSettings = () => ({ deviceId: device.deviceId, ...(device.facing ? { facingMode: device.facing } : {}) });
    running.set(track, device.deviceId);
    const paint = () => {
      if (track.readyState !== 'live') {
        clearInterval(timer);
        running.delete(track);
        return;
      }
      context.fillStyle = '#444';
      context.fillRect(0, 0, canvas.width, canvas.height);
      // Half a pixel of movement: nobody stands perfectly still, and an unchanged canvas produces no frames.
      if (picture !== null)
        context.drawImage(picture, Math.sin(performance.now() / 700) * 0.5, 0, canvas.width, canvas.height);
    };
    const timer = setInterval(paint, FRAME_MS);
    paint();
    return stream;
  };
}
