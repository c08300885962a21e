/** Bytes that may be held at one time, however many hold them. */
export class ByteBudget {
  readonly #limit: number;
  #held = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Whether so many more would fit at this moment. */
  fits(bytes: number): boolean {
    return this.#held + bytes <= this.#limit;
  }

  /** @returns false, and takes nothing, when they do not fit */
  take(bytes: number): boolean {
    if (!this.fits(bytes)) return false;
    this.#held += bytes;
    return true;
  }

  give(bytes: number): void {
    this.#held -= bytes;
  }

  get held(): number {
    return this.#held;
  }
}
