import { encodeFloat16 } from '@svc/core';
import { type Canary, canaryOf } from '../enrolment/canaries.ts';

const PIECE_ELEMENTS = 8;

/** A template as binary16 and binary32, each in bytes, hex and base64: eight consecutive values are enough to be found. */
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

/** Rows out of the middle of a picture, where the face is. */
export function pictureCanaries(
  name: string,
  { data, width, height }: { data: Uint8Array | Uint8ClampedArray; width: number; height: number },
): Canary[] {
  const row = (data.length / height) | 0;
  return [0.4, 0.5, 0.6].map((part) => {
    const from = Math.floor(height * part) * row + Math.floor((width / 2) * (row / width));
    return canaryOf(name, Uint8Array.from(data.subarray(from, from + 48)));
  });
}
