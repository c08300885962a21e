import type { PixelImage } from '@svc/core';
import { identitySeed, naturalSway, renderHead } from '@svc/synthetic-faces';
import { frameHeight, frameWidth } from '../inputs/photo.ts';
import { FRAME_MS, type Moment } from './visitor.ts';

/** People who are tracked well while they turn to either side. */
const FIRST_IDENTITY = 5;
const seedOf = (person: number): number => identitySeed(FIRST_IDENTITY + person);

/** Rendered visitors; each frame is rendered once. */
export class Film {
  readonly #frames = new Map<string, PixelImage>();

  /** The person's photo for enrolment. */
  photo(person: number): PixelImage {
    return renderHead({ seed: seedOf(person), width: 960, height: 720, noiseSeed: 7 });
  }

  frame(person: number, { tick, yawDeg }: Moment): PixelImage {
    const key = `${person}/${tick}/${yawDeg}`;
    const frame = this.#frames.get(key) ?? this.#render(person, { tick, yawDeg });
    this.#frames.set(key, frame);
    return frame;
  }

  #render(person: number, { tick, yawDeg }: Moment): PixelImage {
    const seed = seedOf(person);
    const sway = naturalSway(seed + 1)(tick * FRAME_MS);
    return renderHead({
      ...sway,
      seed,
      noiseSeed: 1009 + tick,
      distance: 1.7,
      yawDeg: yawDeg + (sway.yawDeg ?? 0),
      width: frameWidth,
      height: frameHeight,
    });
  }
}
