import { encodeFloat16 } from '@svc/core';

const PIECE_ELEMENTS = 8;

/**
 * A template as binary16 and binary32, each in bytes, hex and base64. Eight consecutive values are enough to be found.
 */
export function templateCanaries(name: string, template: Float32Array): Canary[] {
  const canaries: Canary[] = [];
  for (let at = 0; at + PIECE_ELEMENTS <= template.length; at += PIECE_ELEMENTS) {
    const values = template.slice(at, at + PIECE_ELEMENTS);
    canaries.push(
      canaryOf(`${name} f16`, encodeFloat16(values)),
      canaryOf(`${name} f32`, new Uint8Array(values.buffer)),
    );
  }
  return canaries;
}

/** A secret in every readable form. */
export interface Canary {
  readonly name: string;
  readonly needles: readonly Buffer[];
}

const BASE64 = ['base64', 'base64url'] as const;

/** Base64 of the bytes as it reads inside longer base64, for each of the three ways they may be aligned. */
function insideBase64(bytes: Buffer): Buffer[] {
  return BASE64.flatMap((encoding) =>
    [0, 1, 2].map((shift) => {
      const text = Buffer.concat([Buffer.alloc(shift), bytes])
        .toString(encoding)
        .replace(/=+$/, '');
      // The first characters also depend on the bytes before, the last on those after.
      return Buffer.from(text.slice(shift === 0 ? 0 : shift + 1, Math.floor(((shift + bytes.length) * 8) / 6)));
    }),
  );
}

/** @param bytes at least 12, so that they do not occur by chance */
export function canaryOf(name: string, bytes: Uint8Array): Canary {
  const raw = Buffer.from(bytes);
  if (raw.length < 12) throw new RangeError('too short for a canary');
  const hex = raw.toString('hex');
  return { name, needles: [raw, Buffer.from(hex), Buffer.from(hex.toUpperCase()), ...insideBase64(raw)] };
}

/** Names of the canaries that are found in a place. */
export function foundIn(place: Buffer, canaries: readonly Canary[]): string[] {
  return canaries.filter((canary) => canary.needles.some((needle) => place.includes(needle))).map(({ name }) => name);
}
