/** Pixels that this package's camera made, and so may wipe. */
const own = new WeakSet<object>();

/** To be wiped as soon as the engine is done with the frame. */
export function markOwnPixels(data: Uint8Array | Uint8ClampedArray): void {
  own.add(data);
}

/** Wipes pixels that were marked; frames of other cameras are theirs. */
export function wipeOwnPixels(data: Uint8Array | Uint8ClampedArray): void {
  if (own.delete(data)) data.fill(0);
}
