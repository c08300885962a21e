/** Frames at the worker or in transit: the current one and the next. */
const MOST_FREE = 2;

/**
 * Buffers that carry frames to the worker and return empty. Allocating a megabyte per frame would trigger a full
 * garbage collection of page and worker every few frames, tens of milliseconds each.
 */
export class FrameBuffers {
  #free: Uint8Array<ArrayBuffer>[] = [];

  /** A copy in its own, transferable buffer. */
  copyOf(pixels: Uint8Array | Uint8ClampedArray): Uint8Array<ArrayBuffer> {
    const at = this.#free.findIndex(({ length }) => length === pixels.length);
    const [kept] = at === -1 ? [] : this.#free.splice(at, 1);
    if (kept === undefined) return new Uint8Array(pixels);
    kept.set(pixels);
    return kept;
  }

  /** Takes back a wiped buffer. The latest are kept: a camera's frames have one size. */
  takeBack(wiped: Uint8Array<ArrayBuffer>): void {
    this.#free = [wiped, ...this.#free].slice(0, MOST_FREE);
  }
}
