import type { Prompt, TurnDirection } from '@svc/device-sdk';

export const FRAMES_PER_S = 15;
export const FRAME_MS = 1_000 / FRAMES_PER_S;

/** What a frame shows of a visitor. */
export interface Moment {
  /** The frame's number from 0. */
  readonly tick: number;
  /** How far the head is turned on purpose, to the person's own left. */
  readonly yawDeg: number;
}

const REACH_DEG = 31;
/** Degrees a second of somebody who turns without hurry. */
const STEP_DEG = 45 / FRAMES_PER_S;
/** From the prompt on the screen to the head's first movement. */
const REACTION_TICKS = Math.ceil(0.6 * FRAMES_PER_S);

/** Somebody before a camera who does as asked, the same way each time. */
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
