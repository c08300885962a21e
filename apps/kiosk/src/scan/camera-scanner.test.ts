import { expect, it } from 'vitest';
import { cameraProblemOf } from './camera-scanner.ts';

it.each([
  ['NotAllowedError', 'denied'],
  ['SecurityError', 'denied'],
  ['NotFoundError', 'missing'],
  ['OverconstrainedError', 'missing'],
  ['NotReadableError', 'lost'],
  ['AbortError', 'lost'],
])('a camera that refuses with %s is %s', (name, problem) => {
  expect(cameraProblemOf(new DOMException('no', name))).toBe(problem);
});

it('a page outside a secure context has no cameras', () => {
  expect(cameraProblemOf(new TypeError('undefined'))).toBe('unsupported');
});
