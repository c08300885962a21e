import { renderHead, renderPrint, renderScene, renderScreen } from '@svc/synthetic-faces';
import { encodeJpeg } from '@svc/synthetic-faces/node';

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

/**
 * Replaces getUserMedia by a canvas on which the current visitor turns the head as the screen's prompt asks. Runs in
 * the page before its own scripts, so it cannot use this file's scope.
 */

/** Called by the test. */
export interface VirtualCamera {
  /** The visitor from now on; also plugs the camera in again. */
  show(film: Film): Promise<void>;
  /** Picture before the code camera; null for none. */
  hold(ticketBase64: string | null): Promise<void>;
  /** Unplugs the camera: running streams end as in a browser, and there is no camera until the next {@link show}. */
  unplug(): void;
}

export function installVirtualCamera(): void {
  const scope = globalThis as unknown as {
    camera: VirtualCamera;
    document: Document;
    navigator: Navigator;
    atob(text: string): string;
  };
  const { document, navigator } = scope;
  const FRAME_MS = 66;
  const REACTION_MS = 300;
  const DEG_PER_S = 60;
  let shots: readonly { readonly yawDeg: number; readonly picture: ImageBitmap }[] = [];
  let turns: Film['turns'] = 'as-asked';
  let reachDeg = 0;
  let running: MediaStreamTrack | undefined;
  let ticket: ImageBitmap | null = null;
  let isThere = true;

  const decode = async (base64: string, type: string): Promise<ImageBitmap> =>
    createImageBitmap(new Blob([Uint8Array.from(scope.atob(base64), (char) => char.charCodeAt(0))], { type }));

  scope.camera = {
    async show(film) {
      isThere = true;
      const next: { yawDeg: number; picture: ImageBitmap }[] = [];
      for (const { yawDeg, jpegBase64 } of film.shots) {
        next.push({ yawDeg, picture: await decode(jpegBase64, 'image/jpeg') });
      }
      ({ turns, reachDeg } = film);
      shots = next;
    },
    async hold(ticketBase64) {
      ticket = ticketBase64 === null ? null : await decode(ticketBase64, 'image/png');
    },
    unplug() {
      isThere = false;
      running?.stop();
      // A page's own stop() fires no event; unplugging does.
      running?.dispatchEvent(new Event('ended'));
    },
  };

  function wantedYaw(): number {
    const asked = document.querySelector<HTMLElement>('.prompt')?.dataset;
    if (asked?.prompt !== 'turn-head' || turns === 'not-at-all') return 0;
    const asAsked = asked.direction === 'left' ? reachDeg : -reachDeg;
    return turns === 'wrong-way' ? -asAsked : asAsked;
  }

  navigator.mediaDevices.getUserMedia = (constraints) => {
    if (!isThere) return Promise.reject(new DOMException('no camera', 'NotFoundError'));
    const video = constraints?.video;
    const looksForCodes = typeof video === 'object' && JSON.stringify(video.width).includes('1280');
    const canvas = document.createElement('canvas');
    [canvas.width, canvas.height] = looksForCodes ? [1280, 720] : [640, 480];
    const context = canvas.getContext('2d');
    const stream = canvas.captureStream();
    const [track] = stream.getVideoTracks();
    running = track;
    let yaw = 0;
    let wanted = 0;
    let sinceMs = 0;
    let lastMs = performance.now();
    const paint = () => {
      if (track?.readyState !== 'live') {
        clearInterval(timer);
        return;
      }
      const nowMs = performance.now();
      if (wantedYaw() !== wanted) {
        wanted = wantedYaw();
        sinceMs = nowMs;
      }
      if (nowMs - sinceMs >= REACTION_MS) {
        const step = (DEG_PER_S * (nowMs - lastMs)) / 1000;
        yaw += Math.max(-step, Math.min(step, wanted - yaw));
      }
      lastMs = nowMs;
      const nearest = shots.reduce<(typeof shots)[number] | null>(
        (best, shot) => (best === null || Math.abs(shot.yawDeg - yaw) < Math.abs(best.yawDeg - yaw) ? shot : best),
        null,
      );
      if (context === null) return;
      if (looksForCodes) {
        context.fillStyle = '#808080';
        context.fillRect(0, 0, canvas.width, canvas.height);
        if (ticket !== null) {
          const scale = Math.min(1100 / ticket.width, 420 / ticket.height);
          const [width, height] = [ticket.width * scale, ticket.height * scale];
          context.drawImage(ticket, (canvas.width - width) / 2, (canvas.height - height) / 2, width, height);
        }
      } else if (nearest !== null) {
        // Half a pixel of movement: nobody stands perfectly still.
        context.drawImage(nearest.picture, Math.sin(nowMs / 700) * 0.5, 0);
      }
    };
    const timer = setInterval(paint, FRAME_MS);
    paint();
    return Promise.resolve(stream);
  };
}
