import type { BrowserContext, Page } from '@playwright/test';
import { encodeJpeg, renderHead, renderPrint, renderScene, renderScreen } from '@svc/synthetic-faces';

const frame = { width: 640, height: 480 };
/** Far enough to show shoulders beside the face, as the passive check needs. */
const DISTANCE = 1.6;
const STEP_DEG = 4;
/** A head turns as far as asked. Paper is turned further, until it seems to look aside far enough. */
const REACH_DEG = { head: 32, picture: 48 };

/** The visitor before the kiosk's camera. */
export interface Filmed {
  readonly seed: number;
  /**
   * `print` and `screen`: a photo of the person, turned by hand. `replay`: a recording that includes the turn. Default
   * `person`.
   */
  readonly kind?: 'person' | 'print' | 'screen' | 'replay' | 'nobody';
  /** Default `as-asked`. */
  readonly turns?: 'as-asked' | 'wrong-way' | 'not-at-all';
  /** Another person beside them. */
  readonly beside?: number;
}

/** Pictures by yaw, positive to the person's left; the page plays them as the prompts ask. */
export interface Film {
  readonly turns: NonNullable<Filmed['turns']>;
  readonly reachDeg: number;
  readonly shots: readonly { readonly yawDeg: number; readonly jpegBase64: string }[];
}

function draw({ kind = 'person', seed, beside }: Filmed, turnDeg: number) {
  const noiseSeed = 100 + turnDeg;
  const photo = { seed, noiseSeed };
  const head = { ...photo, yawDeg: turnDeg, distance: DISTANCE };
  switch (kind) {
    case 'nobody':
      return renderScene({ ...frame, heads: [] });
    case 'print':
      return renderPrint({ ...frame, head: photo, distance: DISTANCE, turnDeg });
    case 'screen':
      return renderScreen({ ...frame, head: photo, distance: DISTANCE, turnDeg, still: true });
    case 'replay':
      return renderScreen({ ...frame, head });
    case 'person': {
      if (beside === undefined) return renderHead({ ...frame, ...head });
      const other = { seed: beside, centreX: 0.76, distance: DISTANCE, noiseSeed: noiseSeed + 1 };
      return renderScene({ ...frame, heads: [{ ...head, centreX: 0.26 }, other] });
    }
  }
}

async function render(filmed: Filmed, reachDeg: number): Promise<Film['shots']> {
  const shots: Film['shots'][number][] = [];
  for (let yawDeg = -reachDeg; yawDeg <= reachDeg; yawDeg += STEP_DEG) {
    const jpeg = await encodeJpeg(draw(filmed, yawDeg), 92);
    shots.push({ yawDeg, jpegBase64: Buffer.from(jpeg).toString('base64') });
  }
  return shots;
}

/**
 * Renders each film once. A person turning rightly or wrongly uses the same film; a visitor who never turns needs one
 * picture.
 */
export class Films {
  readonly #rendered = new Map<string, Promise<Film['shots']>>();

  async of(filmed: Filmed): Promise<Film> {
    const { turns = 'as-asked', kind = 'person', seed, beside } = filmed;
    const isStill = turns === 'not-at-all' || kind === 'nobody' || beside !== undefined;
    const reachDeg = kind === 'print' || kind === 'screen' ? REACH_DEG.picture : REACH_DEG.head;
    const name = JSON.stringify([kind, seed, beside, isStill]);
    const shots = this.#rendered.get(name) ?? render(filmed, isStill ? 0 : reachDeg);
    this.#rendered.set(name, shots);
    return { turns, reachDeg, shots: await shots };
  }
}

/** A picture that does not move. */
export const still = (jpegBase64: string): Film => ({
  ...{ turns: 'not-at-all', reachDeg: 0 },
  shots: [{ yawDeg: 0, jpegBase64 }],
});

export interface PageCameraOptions {
  /** Default: one front camera. Without `facing` the mode is unknown, as for most computers. */
  readonly devices?: readonly { readonly deviceId: string; readonly facing?: 'user' | 'environment' }[];
  /** In px. Default 640 × 480. */
  readonly size?: readonly [width: number, height: number];
}

/** Called by tests as `globalThis.camera`. */
export interface PageCamera {
  /** The visitor from now on. */
  show(film: Film): Promise<void>;
  /** From now on nobody moves. */
  freeze(): void;
  /** PNG before a camera for codes; null for none. */
  hold(codeBase64: string | null): Promise<void>;
  /** The cameras that are on. */
  lit(): readonly string[];
}

/**
 * Replaces the browser's cameras by canvases, on which the current visitor turns the head as the prompt on the screen
 * asks. Runs in the page before its own scripts, so it cannot use this file's scope.
 */
export function installPageCamera(options: PageCameraOptions): void {
  const scope = globalThis as unknown as { camera: PageCamera };
  const FRAME_MS = 60;
  const REACTION_MS = 300;
  const DEG_PER_S = 60;
  const devices = options.devices ?? [{ deviceId: 'front', facing: 'user' as const }];
  const running = new Map<MediaStreamTrack, string>();
  let film: { turns: Film['turns']; reachDeg: number; shots: { yawDeg: number; picture: ImageBitmap }[] } | null = null;
  const body = { swayPx: 0.5 };
  let code: ImageBitmap | null = null;

  const decode = (base64: string): Promise<ImageBitmap> =>
    createImageBitmap(new Blob([Uint8Array.from(atob(base64), (char) => char.charCodeAt(0))]));

  scope.camera = {
    async show({ turns, reachDeg, shots }) {
      const pictures = shots.map(async (shot) => ({ yawDeg: shot.yawDeg, picture: await decode(shot.jpegBase64) }));
      film = { turns, reachDeg, shots: await Promise.all(pictures) };
    },
    freeze: () => void Object.assign(body, { swayPx: 0 }),
    async hold(codeBase64) {
      code = codeBase64 === null ? null : await decode(codeBase64);
    },
    lit: () => [...running].flatMap(([track, deviceId]) => (track.readyState === 'live' ? [deviceId] : [])),
  };

  function wantedYaw(): number {
    const asked = document.querySelector<HTMLElement>('.prompt')?.dataset;
    if (film === null || asked?.prompt !== 'turn-head' || film.turns === 'not-at-all') return 0;
    const asAsked = asked.direction === 'left' ? film.reachDeg : -film.reachDeg;
    return film.turns === 'wrong-way' ? -asAsked : asAsked;
  }

  const exactly = (wanted: unknown) => (wanted as { exact?: string } | undefined)?.exact;

  // Of the prototype: WebKit may collect the object `navigator.mediaDevices` with what was set on it, and make another.
  const { prototype } = MediaDevices;
  prototype.enumerateDevices = async () =>
    devices.map(({ deviceId }) => {
      return { deviceId, kind: 'videoinput', label: deviceId, groupId: '', toJSON: () => ({}) };
    });

  prototype.getUserMedia = async (constraints) => {
    const video = typeof constraints?.video === 'object' ? constraints.video : {};
    const [deviceId, facing] = [exactly(video.deviceId), exactly(video.facingMode)];
    const device = devices.find(
      (each) =>
        (deviceId === undefined || each.deviceId === deviceId) && (facing === undefined || each.facing === facing),
    );
    if (device === undefined) throw new DOMException('no such camera', 'OverconstrainedError');
    // The kiosk's, not the widget's for a photo of 1280 × 960.
    const looksForCodes = JSON.stringify(video.height ?? '').includes('720');
    const canvas = document.createElement('canvas');
    [canvas.width, canvas.height] = looksForCodes ? [1280, 720] : (options.size ?? [640, 480]);
    const context = canvas.getContext('2d');
    // WebKitGTK shows one picture of a stream without a rate.
    const stream = canvas.captureStream(1_000 / FRAME_MS);
    const [track] = stream.getVideoTracks();
    if (track === undefined || context === null) throw new DOMException('no canvas', 'NotReadableError');
    const own = track.getSettings.bind(track);
    const facingMode = device.facing && { facingMode: device.facing };
    track.getSettings = () => ({ ...own(), deviceId: device.deviceId, ...facingMode });
    running.set(track, device.deviceId);
    let yaw = 0;
    let wanted = 0;
    let sinceMs = 0;
    let lastMs = performance.now();
    const paint = () => {
      if (track.readyState !== 'live') {
        clearInterval(timer);
        running.delete(track);
        return;
      }
      const nowMs = performance.now();
      if (wantedYaw() !== wanted) [wanted, sinceMs] = [wantedYaw(), nowMs];
      if (nowMs - sinceMs >= REACTION_MS) {
        // A page that was late to paint does not make a head jump.
        const step = (DEG_PER_S * Math.min(nowMs - lastMs, FRAME_MS)) / 1000;
        yaw += Math.max(-step, Math.min(step, wanted - yaw));
      }
      lastMs = nowMs;
      context.fillStyle = '#808080';
      context.fillRect(0, 0, canvas.width, canvas.height);
      if (looksForCodes) {
        if (code === null) return;
        const scale = Math.min(1100 / code.width, 420 / code.height);
        const [width, height] = [code.width * scale, code.height * scale];
        context.drawImage(code, (canvas.width - width) / 2, (canvas.height - height) / 2, width, height);
        return;
      }
      const away = (shot: { yawDeg: number }) => Math.abs(shot.yawDeg - yaw);
      const [nearest] = [...(film?.shots ?? [])].sort((a, b) => away(a) - away(b));
      // Half a pixel of movement: nobody stands perfectly still, and an unchanged canvas produces no frames.
      const sway = Math.sin(nowMs / 700) * body.swayPx;
      if (nearest !== undefined) context.drawImage(nearest.picture, sway, 0, canvas.width, canvas.height);
    };
    const timer = setInterval(paint, FRAME_MS);
    paint();
    return stream;
  };
}

/**
 * Makes the page's clock slower than the world by this factor, so that a busy machine has enough of the attempt's ten
 * seconds. Runs in the page.
 */
export function slowClock(factor: number): void {
  const now = performance.now.bind(performance);
  const from = now();
  performance.now = () => from + (now() - from) / factor;
}

export const slowed = (context: BrowserContext | Page, factor: number): Promise<unknown> =>
  context.addInitScript(slowClock, factor);
