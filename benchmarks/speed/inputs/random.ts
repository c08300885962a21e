/** SplitMix32: reproducible inputs; nothing here is secret. */
function* words(seed: number): Generator<number> {
  let state = seed >>> 0;
  for (;;) {
    state = (state + 0x9e3779b9) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    yield (mixed ^ (mixed >>> 15)) >>> 0;
  }
}

export function pseudoRandomBytes(length: number, seed: number): Uint8Array {
  const source = words(seed);
  const bytes = new Uint8Array(Math.ceil(length / 4) * 4);
  const view = new DataView(bytes.buffer);
  for (let i = 0; i < bytes.length; i += 4) view.setUint32(i, source.next().value ?? 0);
  return bytes.slice(0, length);
}

/** `rows` vectors of `dimension` floats in [-1, 1), packed. */
export function pseudoRandomFloats(length: number, seed: number): Float32Array {
  const source = words(seed);
  return Float32Array.from({ length }, () => (source.next().value ?? 0) / 2 ** 31 - 1);
}
