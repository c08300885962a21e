import { FaceError } from '@svc/core';
import { describe, expect, it } from 'vitest';
import { decodePgm } from './decode-photo.ts';

const pgm = (head: string, ...pixels: number[]) => Buffer.concat([Buffer.from(head, 'latin1'), Buffer.from(pixels)]);

describe('PGM', () => {
  it('copies grey to three channels', () => {
    expect(decodePgm(pgm('P5\n2 1\n255\n', 7, 255))).toEqual({
      data: new Uint8Array([7, 7, 7, 255, 255, 255]),
      width: 2,
      height: 1,
      channels: 3,
    });
  });

  it('allows comments, and pixel bytes that are white space', () => {
    expect(decodePgm(pgm('P5\n# made by hand\n1 2\n# really\n255\n', 10, 32)).data[0]).toBe(10);
  });

  it.each([
    ['another magic', pgm('P2\n1 1\n255\n', 1)],
    ['too few pixels', pgm('P5\n2 2\n255\n', 1, 2, 3)],
    ['16 bits', pgm('P5\n1 1\n65535\n', 1, 2)],
    ['no size', pgm('P5\n0 0\n255\n')],
    ['a bomb', pgm('P5\n99999 99999\n255\n')],
    ['nothing', pgm('')],
  ])('refuses %s', (_what, bytes) => {
    let thrown: unknown;
    try {
      decodePgm(bytes);
    } catch (error) {
      thrown = error;
    }
    expect(FaceError.is(thrown) && thrown.code).toBe('image-invalid');
  });
});
