import { imageFaults, operations } from '@svc/protocol';
import { expect, it } from 'vitest';
import { say, speak } from '../text/index.ts';
import { ApiError, importReason, messageOf } from './errors.ts';
import { endpoints } from './operations.ts';

await speak('en');

it('every error of an operation that the dashboard calls is said in words', () => {
  const own = ['no-connection', 'unrecognised-answer', 'cancelled', 'passkey-exists'];
  const called = operations.filter(
    ({ operationId }) => operationId in endpoints && operationId !== 'createEnrolmentLinks',
  );
  const unreadable = imageFaults.map((reason) => importReason('image-invalid', reason));
  const codes = new Set([...own, ...unreadable, ...called.flatMap(({ errors }) => errors)]);
  expect(new Set(unreadable).size).toBe(imageFaults.length);
  // What is wrong with a photo is said by the import, which alone sends photos.
  const isSaid = (code: string) =>
    ['errors', 'import.reason'].some((where) => say.has(`${where}.${code}`) && say.has(`${where}.${code}.help`));
  expect([...codes].filter((code) => !isSaid(code))).toEqual([]);
});

it('another error names its code', () => {
  const error = new ApiError('nonce-invalid', { status: 400 });
  expect(messageOf(error).help).toContain('nonce-invalid');
  expect(messageOf(new TypeError('anything')).help).toContain('TypeError');
});

it('a dialog that the person closed is no failure of the service', () => {
  expect(messageOf(new DOMException('', 'NotAllowedError')).title).toBe('Cancelled');
});
