import { photoRefusals } from './photo-refusals.ts';
import { crc32 } from './secrets.ts';

/**
 * What the test photos lead to: `enrolled`, the refusal that they are named after, or `different-person`: enrolled, and
 * as a further photo refused beside `enrolled`.
 */
export const testPhotoNames = ['enrolled', 'different-person', ...photoRefusals] as const;
export type TestPhotoName = (typeof testPhotoNames)[number];

/** A face of eight by eight pixels, one row a byte. */
const FACE = '\x3c\x42\xa5\x81\xa5\x99\x42\x3c';
const u16 = (value: number) => String.fromCharCode(value >>> 8, value & 0xff);
const u32 = (value: number) => u16(value >>> 16) + u16(value & 0xffff);
const chunk = (typed: string) => u32(typed.length - 4) + typed + u32(crc32(typed));

/** Adler-32 (RFC 1950) over one byte per character. */
function adler32(text: string): number {
  let [a, b] = [1, 0];
  for (let i = 0; i < text.length; i += 1) {
    a = (a + text.charCodeAt(i)) % 65_521;
    b = (b + a) % 65_521;
  }
  return ((b << 16) | a) >>> 0;
}

/** zlib (RFC 1950) with one stored block, so that every program writes the same bytes. */
function stored(text: string): string {
  const size = String.fromCharCode(text.length, 0, text.length ^ 0xff, 0xff);
  return `\x78\x01\x01${size}${text}${u32(adler32(text))}`;
}

/**
 * A drawn PNG of 8 × 8 pixels and fewer than 200 bytes, with its name in it; nobody's face. A test account takes these
 * pictures alone, byte for byte. That of `image-invalid` is cut off.
 */
export function testPhoto(name: TestPhotoName): Uint8Array<ArrayBuffer> {
  const rows = Array.from(FACE, (row) => `\0${row}`).join('');
  const parts = [
    '\x89PNG\r\n\x1a\n',
    chunk(`IHDR${u32(8)}${u32(8)}\x01\0\0\0\0`),
    chunk(`tEXtTitle\0svc test photo: ${name}`),
    chunk(`IDAT${stored(rows)}`),
    ...(name === 'image-invalid' ? [] : [chunk('IEND')]),
  ];
  return Uint8Array.from(parts.join(''), (char) => char.charCodeAt(0));
}

/** Which test photo a file is; null for any other. */
export const testPhotoNameOf = (file: Uint8Array): TestPhotoName | null =>
  testPhotoNames.find((name) => {
    const photo = testPhoto(name);
    return photo.length === file.length && photo.every((byte, i) => byte === file[i]);
  }) ?? null;
