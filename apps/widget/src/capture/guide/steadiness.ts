import type { Guidance } from '../../ports.ts';

/** For how long, and in how many frames, a face must stay good and in its place. */
export const steadyLimits = {
  looks: 3,
  ms: 800,
  /** Maximum movement and growth from one frame to the next, in widths of the face. */
  movement: 0.08,
} as const;

type Face = NonNullable<Guidance['face']>;

/**
 * Reports the moment to take the photo: once, and again after {@link Steadiness.restart} or a frame that was not good.
 */
export class Steadiness {
  #last: Face | null = null;
  #sinceMs = 0;
  #looks = 0;
  #told = false;

  /**
   * @param atMs of any monotonic clock
   * @returns the guidance, with `hold-still` if the face only moves, and whether to take the photo now
   */
  add(guidance: Guidance, atMs: number): { readonly guidance: Guidance; readonly isSteady: boolean } {
    const { hint, face } = guidance;
    if (hint !== null || face === null) {
      this.restart();
      return { guidance, isSteady: false };
    }
    const moved = this.#last !== null && movementOf(this.#last, face) > steadyLimits.movement;
    if (moved) this.restart();
    this.#last = face;
    if (this.#looks === 0) this.#sinceMs = atMs;
    this.#looks += 1;
    const isSteady = !this.#told && this.#looks >= steadyLimits.looks && atMs - this.#sinceMs >= steadyLimits.ms;
    this.#told ||= isSteady;
    return { guidance: moved ? { ...guidance, hint: 'hold-still' } : guidance, isSteady };
  }

  restart(): void {
    this.#last = null;
    this.#looks = 0;
    this.#told = false;
  }
}

/** In widths of the earlier face. x and width are fractions of the picture's width, y and height of its height. */
function movementOf(before: Face, now: Face): number {
  const across = now.x + now.width / 2 - before.x - before.width / 2;
  const down = now.y + now.height / 2 - before.y - before.height / 2;
  return Math.max(
    Math.abs(across) / before.width,
    Math.abs(down) / before.height,
    Math.abs(now.width - before.width) / before.width,
  );
}
