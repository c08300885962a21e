import { expect, it } from 'vitest';
import { describeError } from './log-safe.ts';

it.each([
  ['of one line', 'canary'],
  ['of several lines that look like frames', 'x\n    at canary (/canary.ts:1:1)\n    at canary'],
  ['that is empty', ''],
])('no message is in what is told of an error, also one %s', (_name, message) => {
  const cause = new TypeError(message);
  const told = describeError(new RangeError(message, { cause }));
  expect(told).toMatchObject({ type: 'RangeError', cause: { type: 'TypeError' } });
  expect(JSON.stringify(told)).not.toContain('canary');
  expect(told.frames).not.toHaveLength(0);
});

it('what is no error is told by its type alone', () => {
  expect(describeError('canary')).toEqual({ type: 'string' });
});
