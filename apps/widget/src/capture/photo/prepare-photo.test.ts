import { expect, it } from 'vitest';
import { problemOf } from './prepare-photo.ts';

const head = (text: string) => Uint8Array.from([0, 0, 0, 24, ...new TextEncoder().encode(text)]);

it.each([
  ...['ftypheic', 'ftypheix', 'ftypmif1'].map((text) => [text, head(text), 'heic'] as const),
  ['ftypavif', head('ftypavif'), 'format'],
  ['a TIFF', new TextEncoder().encode('II*\0'), 'format'],
  ['a JPEG', Uint8Array.of(0xff, 0xd8, 0xff, 0xe0, 0, 16, 0x4a, 0x46, 0x49, 0x46, 0, 1), 'image-invalid'],
  ['a film', head('ftypisom'), 'image-invalid'],
  ['a film of a phone', head('ftypqt  '), 'image-invalid'],
  ['a text', head('heicftyp'), 'image-invalid'],
  ['a truncated header', head('ftyphe'), 'image-invalid'],
  ['nothing', new Uint8Array(), 'image-invalid'],
] as const)('a file that cannot be read is told by its first bytes: %s', (_what, bytes, problem) => {
  expect(problemOf(bytes)).toBe(problem);
});
