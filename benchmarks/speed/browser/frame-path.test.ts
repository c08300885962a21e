import { expect, it } from 'vitest';
import { frameAt, framePath } from './frame-path.ts';

it.each([
  [0, { tick: 0, yawDeg: 0 }],
  [2, { tick: 41, yawDeg: -27 }],
  [1, { tick: 7, yawDeg: 2.5 }],
])('a frame is found again by its path: person %i, %o', (person, moment) => {
  expect(frameAt(framePath(person, moment))).toEqual({ person, moment });
});

it.each(['/frames/0/1', '/frames/0/1/x', '/frames/a/1/2', '/assets/0/1/2'])('%s is none', (path) => {
  expect(frameAt(path)).toBeNull();
});
