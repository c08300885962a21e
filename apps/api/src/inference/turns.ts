/** So many at a time, the others in the order in which they came. */
export class Turns {
  #free: number;
  readonly #waiting = new Set<() => void>();

  constructor(atOnce: number) {
    this.#free = atOnce;
  }

  /**
   * Waits for a turn.
   * @returns how to end it, once; null when it has not come in time, or `gone` was aborted before
   */
  take(gone: AbortSignal, limitMs: number): Promise<(() => void) | null> {
    if (gone.aborted) return Promise.resolve(null);
    if (this.#free > 0) {
      this.#free -= 1;
      return Promise.resolve(() => this.#next());
    }
    return new Promise((resolve) => {
      const settle = (turn: (() => void) | null) => {
        clearTimeout(timer);
        gone.removeEventListener('abort', leave);
        this.#waiting.delete(begin);
        resolve(turn);
      };
      const begin = () => settle(() => this.#next());
      const leave = () => settle(null);
      const timer = setTimeout(leave, limitMs);
      gone.addEventListener('abort', leave, { once: true });
      this.#waiting.add(begin);
    });
  }

  #next(): void {
    const [begin] = this.#waiting;
    if (begin === undefined) this.#free += 1;
    else begin();
  }
}
