import type { FaceBox, Guidance } from '../../ports.ts';
import type { Advice } from './advice.ts';

/** For how long, and in how many frames, a face must stay good and in its place. */
export const steadyLimits = {
  looks: 3,
  ms: 800,
  /** Maximum movement and growth from one frame to the next, in widths of the face. */
  movement: 0.08,
} as const;

/**
 * Reports the moment to take the photo: once, and again after {@link Steadiness.restart} or a frame that was not good.
 */
export class Steadiness {
  #last: FaceBox | null = null;
  #sinceMs = 0;
  #looks = 0;
  #told = false;

  /**
   * @param atMs of any monotonic clock
   * @returns the guidance, with `hold-still` if the face only moves, and whether to take the photo now
   */
  add(advice: Advice, atMs: number): { readonly guidance: Guidance; readonly isSteady: boolean } {
    const { hint, face } = advice;
    if (hint !== null || face === null) {
      this.restart();
      return { guidance: { ...advice, held: 0 }, isSteady: false };
    }
    const moved = this.#last !== null && movementOf(this.#last, face) > steadyLimits.movement;
    if (moved) this.restart();
    this.#last = face;
    if (this.#looks === 0) this.#sinceMs = atMs;
    this.#looks += 1;
    // The first look begins the time, so it counts for nothing yet.
    const held = Math.min(1, (this.#looks - 1) / (steadyLimits.looks - 1), (atMs - this.#sinceMs) / steadyLimits.ms);
    const isSteady = !this.#told && held === 1;
    this.#told ||= isSteady;
    return { guidance: { face, hint: moved ? 'hold-still' : null, held }, isSteady };
  }

  restart(): void {
    this.#last = null;
    this.#looks = 0;
    this.#told = false;
  }
}

/** In widths of the earlier face. x and width are fractions of the picture's width, y and height of its height. */
function movementOf(before: FaceBox, now: FaceBox): number {
  const across = now.x + now.width / 2 - before.x - before.width / 2;
  const down = now.y + now.height / 2 - before.y - before.height / 2;
  return Math.max(
    Math.abs(across) / before.width,
    Math.abs(down) / before.height,
    Math.abs(now.width - before.width) / before.width,
  );
}
