import { createHash } from 'node:crypto';

/** Deterministic pseudorandom bytes: SHA-256 over the label and a counter. */
export function patternBytes(label: string, length: number): Uint8Array {
  const out = new Uint8Array(length);
  for (let at = 0, i = 0; at < length; at += 32, i++) {
    const block = createHash('sha256').update(`${label}\0${i}`).digest();
    out.set(block.subarray(0, Math.min(32, length - at)), at);
  }
  return out;
}
