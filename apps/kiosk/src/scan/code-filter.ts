/** One code that the camera saw. */
export interface SeenCode {
  readonly text: string;
  /** As `BarcodeDetector` names it. */
  readonly format: string;
}

/** These correct their own errors; a misread line of bars can be another valid one, so those are read twice. */
const correctsErrors = new Set(['qr_code', 'micro_qr_code', 'rm_qr_code', 'data_matrix', 'aztec', 'pdf417']);

/**
 * A ticket must have been away this long before it is read anew: it still lies before the camera when its attempt is
 * over.
 */
const AWAY_MS = 2_000;

/**
 * Makes one scan out of the many pictures in which a code is seen. Remembers the last code until it is out of sight,
 * and nothing longer.
 */
export class CodeFilter {
  #candidate: string | null = null;
  #held: { readonly text: string; seenMs: number } | null = null;

  /** @param seen all codes of one picture @returns what was scanned just now, or null */
  see(seen: readonly SeenCode[], nowMs: number): string | null {
    if (this.#held !== null && nowMs - this.#held.seenMs > AWAY_MS) this.#held = null;
    const texts = new Set(seen.map(({ text }) => text));
    const [code] = seen;
    // Two tickets side by side: nobody can tell which is meant.
    if (code === undefined || texts.size !== 1 || code.text === '') {
      this.#candidate = null;
      return null;
    }
    if (this.#held?.text === code.text) {
      this.#held.seenMs = nowMs;
      return null;
    }
    if (!correctsErrors.has(code.format) && this.#candidate !== code.text) {
      this.#candidate = code.text;
      return null;
    }
    this.#candidate = null;
    this.#held = { text: code.text, seenMs: nowMs };
    return code.text;
  }
}
