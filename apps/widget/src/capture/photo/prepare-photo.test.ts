import { expect, it } from 'vitest';
import { isHeifFamily } from './prepare-photo.ts';

const head = (text: string) => Uint8Array.from([0, 0, 0, 24, ...new TextEncoder().encode(text)]);

it.each(['ftypheic', 'ftypheix', 'ftypmif1', 'ftypavif'])('knows %s', (text) => {
  expect(isHeifFamily(head(text))).toBe(true);
});

it.each([
  ['a film', head('ftypisom')],
  ['a film of a phone', head('ftypqt  ')],
  ['a JPEG', Uint8Array.of(0xff, 0xd8, 0xff, 0xe0, 0, 16, 0x4a, 0x46, 0x49, 0x46, 0, 1)],
  ['a text', head('heicftyp')],
  ['a truncated header', head('ftyphe')],
  ['nothing', new Uint8Array()],
])('is not taken in by %s', (_what, bytes) => {
  expect(isHeifFamily(bytes)).toBe(false);
});
