export const text = (content: string) => new TextEncoder().encode(content);

/** Flips the lowest bit of a byte; a negative index counts from the end. */
export const flip = (bytes: Uint8Array, at: number): Uint8Array => {
  const copy = bytes.slice();
  const index = at < 0 ? copy.length + at : at;
  copy[index] = (copy[index] ?? 0) ^ 1;
  return copy;
};
