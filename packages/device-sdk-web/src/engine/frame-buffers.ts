/** Frames that are at the worker or on their way at the same time: the one that is looked at, and the next. */
const MOST_FREE = 2;

/**
 * Buffers that carry frames to the worker and come back empty. A frame is a megabyte, which an engine of JavaScript
 * counts against its heap: buffers that are made anew for each have page and worker collected as a whole every few
 * frames, tens of milliseconds at a time.
 */
export class FrameBuffers {
  #free: Uint8Array<ArrayBuffer>[] = [];

  /** A copy, in a buffer of its own that may be moved away. */
  copyOf(pixels: Uint8Array | Uint8ClampedArray): Uint8Array<ArrayBuffer> {
    const at = this.#free.findIndex(({ length }) => length === pixels.length);
    const [kept] = at === -1 ? [] : this.#free.splice(at, 1);
    if (kept === undefined) return new Uint8Array(pixels);
    kept.set(pixels);
    return kept;
  }

  /** Takes back a buffer that was wiped. The latest are kept: a camera has frames of one size. */
  takeBack(wiped: Uint8Array<ArrayBuffer>): void {
    this.#free = [wiped, ...this.#free].slice(0, MOST_FREE);
  }
}
