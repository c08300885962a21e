import { renderHead, renderScene } from '@svc/synthetic-faces';
import { encodeJpeg } from '@svc/synthetic-faces/node';
import type { Visitor } from '../support/rendered-camera.ts';

const frame = { width: 640, height: 480 };
/** Far enough for a shoulder's width around the face, as the passive check wants it. */
const DISTANCE = 1.6;
const STEP_DEG = 4;
const MOST_DEG = 32;

/** Pictures of a visitor by how far the head is turned, to the person's left positive; a page plays them as the prompts ask. */
export interface Film {
  readonly turns: NonNullable<Visitor['turns']>;
  readonly shots: readonly { readonly yawDeg: number; readonly jpegBase64: string }[];
}

function draw({ kind = 'live', seed, companion }: Visitor, yawDeg: number, noiseSeed: number) {
  const head = { seed, yawDeg, distance: DISTANCE, noiseSeed };
  if (kind === 'nobody') return renderScene({ ...frame, heads: [] });
  if (kind !== 'live') throw new Error(`no film of a ${kind} yet`);
  if (companion === undefined) return renderHead({ ...frame, ...head });
  const beside = { seed: companion.seed, centreX: 0.76, distance: DISTANCE, noiseSeed: noiseSeed + 1 };
  return renderScene({ ...frame, heads: [{ ...head, centreX: 0.26 }, beside] });
}

/** Renders what the visitor can be seen doing: those who never turn need one picture. */
export async function renderFilm(visitor: Visitor): Promise<Film> {
  const { turns = 'as-asked', kind = 'live', companion } = visitor;
  const still = turns === 'not-at-all' || kind === 'nobody' || companion !== undefined;
  const shots: Film['shots'][number][] = [];
  for (let yawDeg = still ? 0 : -MOST_DEG; yawDeg <= (still ? 0 : MOST_DEG); yawDeg += STEP_DEG) {
    const jpeg = await encodeJpeg(draw(visitor, yawDeg, 100 + yawDeg), 92);
    shots.push({ yawDeg, jpegBase64: Buffer.from(jpeg).toString('base64') });
  }
  return { turns, shots };
}
