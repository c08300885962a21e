import type { Prompt, TurnDirection } from '@svc/device-sdk';

/** The person, and the direction of the turn. */
export interface Visit {
  readonly person: number;
  readonly direction: TurnDirection;
}

export const personIdOf = (person: number): string => `ticket-${person}`;

/**
 * From now on the direction of a turn, which an attempt draws as a single random byte, is the one set last, so that the
 * same attempts are timed each time. Longer random values stay random.
 */
export function chooseDirections(): (direction: TurnDirection) => void {
  const draw = crypto.getRandomValues.bind(crypto);
  let byte = 0;
  crypto.getRandomValues = (array) => {
    if (!(array instanceof Uint8Array) || array.length !== 1) return draw(array);
    array[0] = byte;
    return array;
  };
  return (direction) => {
    byte = direction === 'left' ? 0 : 1;
  };
}

/** Path of a frame on a site: raw RGBA. */
export const framePath = (person: number, { tick, yawDeg }: Moment): string => `/frames/${person}/${tick}/${yawDeg}`;

/** The frame for a path; null if it is not a {@link framePath}. */
export function frameAt(path: string): { readonly person: number; readonly moment: Moment } | null {
  const found = /^\/frames\/(\d+)\/(\d+)\/(-?[\d.]+)$/.exec(path);
  if (found === null) return null;
  const [, person, tick, yawDeg] = found;
  return { person: Number(person), moment: { tick: Number(tick), yawDeg: Number(yawDeg) } };
}

export const FRAMES_PER_S = 15;
export const FRAME_MS = 1_000 / FRAMES_PER_S;

/** Content of a frame. */
export interface Moment {
  /** The frame's number from 0. */
  readonly tick: number;
  /** Intended yaw, to the person's own left. */
  readonly yawDeg: number;
}

const REACH_DEG = 31;
/** Angular speed of an unhurried turn, degrees per second. */
const STEP_DEG = 45 / FRAMES_PER_S;
/** From the prompt to the head's first movement. */
const REACTION_TICKS = Math.ceil(0.6 * FRAMES_PER_S);

/** A visitor who follows the prompts, always in the same way. */
export class Visitor {
  #asked: TurnDirection | null = null;
  #askedAtTick = 0;
  #tick = 0;
  #yawDeg = 0;

  hear({ key, direction }: Prompt): void {
    const asked = key === 'turn-head' ? (direction ?? null) : null;
    if (asked === this.#asked) return;
    this.#asked = asked;
    this.#askedAtTick = this.#tick;
  }

  /** What the next frame shows. */
  moment(tick: number): Moment {
    this.#tick = tick;
    if (tick - this.#askedAtTick >= REACTION_TICKS) {
      const target = this.#asked === null ? 0 : this.#asked === 'left' ? REACH_DEG : -REACH_DEG;
      this.#yawDeg += Math.max(-STEP_DEG, Math.min(STEP_DEG, target - this.#yawDeg));
    }
    return { tick, yawDeg: this.#yawDeg };
  }
}
