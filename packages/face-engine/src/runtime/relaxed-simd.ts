/** A module whose one function uses `i8x16.relaxed_swizzle`. */
const probe = Uint8Array.of(
  0,
  97,
  115,
  109,
  1,
  0,
  0,
  0,
  1,
  5,
  1,
  96,
  0,
  1,
  123,
  3,
  2,
  1,
  0,
  10,
  15,
  1,
  13,
  0,
  65,
  1,
  253,
  15,
  65,
  2,
  253,
  15,
  253,
  128,
  2,
  11,
);

/** Whether WebAssembly here supports relaxed SIMD, which one of the two LiteRT builds needs. */
export function hasRelaxedSimd(): boolean {
  // TypeScript's library without DOM lacks the name.
  const { WebAssembly } = globalThis as unknown as { WebAssembly: { validate(module: Uint8Array): boolean } };
  return WebAssembly.validate(probe);
}
