/**
 * Zeroed memory for a secret, all of which `fill(0)` reaches. A typed array of up to 64 bytes that is made by its length lies among V8's objects:
 * each time the collector moves it, and when something first asks for its `buffer` or a `subarray`, its content is copied and the old place keeps it.
 * A buffer of its own lies outside from the start and stays where it is.
 * @returns `length` bytes; whoever asks for them wipes them
 */
export function secretBytes(length: number): Uint8Array<ArrayBuffer> {
  return new Uint8Array(new ArrayBuffer(length));
}

/** A copy in {@link secretBytes}; the caller wipes it. `source` is only read. */
export function secretCopy(source: ArrayLike<number>): Uint8Array<ArrayBuffer> {
  const copy = secretBytes(source.length);
  copy.set(source);
  return copy;
}
