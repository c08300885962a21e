import { renderHead, renderPrint, renderScene, renderScreen } from '@svc/synthetic-faces';
import { encodeJpeg } from '@svc/synthetic-faces/node';

const frame = { width: 640, height: 480 };
/** Far enough for a shoulder's width around the face, as the passive check wants it. */
const DISTANCE = 1.6;
const STEP_DEG = 4;
/** A head need not go further than is asked. Paper is turned on until it seems to look far enough aside. */
const REACH_DEG = { head: 32, picture: 48 };

/** Who or what stands before the kiosk's camera. */
export interface Filmed {
  readonly seed: number;
  /** `print` and `screen`: a photo of the person, turned as a hand turns it. `replay`: a recording that makes the turn. Default `person`. */
  readonly kind?: 'person' | 'print' | 'screen' | 'replay' | 'nobody';
  /** Default `as-asked`. */
  readonly turns?: 'as-asked' | 'wrong-way' | 'not-at-all';
  /** Somebody else beside them. */
  readonly beside?: number;
}

/** Pictures of it by how far it is turned, to the person's left positive; a page plays them as the prompts ask. */
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

/** Renders each film once: the same person turning rightly and wrongly is one, and those who never turn need one picture. */
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
