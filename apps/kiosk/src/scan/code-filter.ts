/** A code in one picture. */
export interface SeenCode {
  readonly text: string;
  /** Format name of `BarcodeDetector`. */
  readonly format: string;
}

/** Formats with error correction. A misread bar code can be another valid one, so bar codes must be read twice. */
const correctsErrors = new Set(['qr_code', 'micro_qr_code', 'rm_qr_code', 'data_matrix', 'aztec', 'pdf417']);

/** A ticket is read again only after the camera saw it away this long. */
const AWAY_MS = 2_000;

/** Turns the many pictures of a code into one scan. Remembers the last code until it is out of sight. */
export class CodeFilter {
  #candidate: string | null = null;
  #held: { readonly text: string; seenMs: number; isAway: boolean } | null = null;

  /**
   * The camera was off, for example during an attempt. This time does not count as away: the ticket may still lie
   * before the camera.
   */
  resume(nowMs: number): void {
    if (this.#held !== null) this.#held = { ...this.#held, seenMs: nowMs, isAway: false };
    this.#candidate = null;
  }

  /** @param seen all codes of one picture @returns the new scan, or null */
  see(seen: readonly SeenCode[], nowMs: number): string | null {
    const held = this.#held;
    // Pictures come late on a busy machine: without one that lacks the code, it was never away.
    if (held?.isAway && nowMs - held.seenMs > AWAY_MS) this.#held = null;
    const texts = new Set(seen.map(({ text }) => text));
    if (held !== null && !texts.has(held.text)) held.isAway = true;
    const [code] = seen;
    // With two tickets side by side it is unclear which is meant.
    if (code === undefined || texts.size !== 1 || code.text === '') {
      this.#candidate = null;
      return null;
    }
    if (this.#held?.text === code.text) {
      this.#held = { text: code.text, seenMs: nowMs, isAway: false };
      return null;
    }
    if (!correctsErrors.has(code.format) && this.#candidate !== code.text) {
      this.#candidate = code.text;
      return null;
    }
    this.#candidate = null;
    this.#held = { text: code.text, seenMs: nowMs, isAway: false };
    return code.text;
  }
}
