/**
 * The page's side: replaces the browser's cameras by pictures that the test holds before them. Runs in the page before
 * its own scripts, so nothing of this file's scope is there.
 */

/** A camera that the page finds. */
export interface FakeCameraDevice {
  readonly deviceId: string;
  /** Left out: it does not say where it looks, as most computers' do not. */
  readonly facing?: 'user' | 'environment';
}

export interface FakeCameraOptions {
  /** Default: one at the front. */
  readonly devices?: readonly FakeCameraDevice[];
  /** What getUserMedia rejects with, by its name. */
  readonly fails?: string;
  /** In px. Default 640 × 480. */
  readonly size?: readonly [width: number, height: number];
}

/** What a test reaches from outside: `globalThis.fakeCamera`. */
export interface FakeCamera {
  /** Whatever the camera sees from now on. */
  show(jpegBase64: string): Promise<void>;
  /** A film instead, over and over. The page's policy must let videos come from memory. */
  play(webmBase64: string): Promise<void>;
  /** How getUserMedia fails from now on; null: it does not. */
  fail(name: string | null): void;
  /** Pulls the cable of the camera that runs: what runs ends as a browser ends it, and there is no camera any more. */
  unplug(): void;
  /** Cameras whose light is on. */
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
        // A page's own stop() fires no event; a cable that is pulled does.
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
      // Half a pixel to and fro: nobody stands as still as a picture, and a canvas that does not change makes no
      // frames.
      if (picture !== null)
        context.drawImage(picture, Math.sin(performance.now() / 700) * 0.5, 0, canvas.width, canvas.height);
    };
    const timer = setInterval(paint, FRAME_MS);
    paint();
    return stream;
  };
}
