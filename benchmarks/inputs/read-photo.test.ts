import { FaceError } from '@svc/core';
import { expect, it } from 'vitest';
import { decodePgm } from './read-photo.ts';

const pgm = (head: string, ...pixels: number[]) => Buffer.concat([Buffer.from(head, 'latin1'), Buffer.from(pixels)]);

it('copies grey to three channels; comments, and pixel bytes that are white space, are fine', () => {
  const { data, ...size } = decodePgm(pgm('P5\n# made by hand\n2 1\n# really\n255\n', 10, 32));
  expect([...data]).toEqual([10, 10, 10, 32, 32, 32]);
  expect(size).toEqual({ width: 2, height: 1, channels: 3 });
});

it.each([
  ['another magic', pgm('P2\n1 1\n255\n', 1)],
  ['too few pixels', pgm('P5\n2 2\n255\n', 1, 2, 3)],
  ['16 bits', pgm('P5\n1 1\n65535\n', 1, 2)],
  ['no size', pgm('P5\n0 0\n255\n')],
  ['a bomb', pgm('P5\n99999 99999\n255\n')],
])('refuses %s', (_what, bytes) => {
  expect(() => decodePgm(bytes)).toThrow(FaceError);
});
