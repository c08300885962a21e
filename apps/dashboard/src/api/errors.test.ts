import { operations } from '@svc/protocol';
import { expect, it } from 'vitest';
import { say, speak } from '../text/index.ts';
import { ApiError, messageOf } from './errors.ts';
import { endpoints } from './operations.ts';

await speak('en');

it('every error of an operation that the dashboard may call is said in words', () => {
  const own: readonly string[] = ['no-connection', 'unrecognised-answer', 'cancelled', 'passkey-exists'];
  const codes = [...own, ...operations.flatMap(({ operationId, errors }) => (operationId in endpoints ? errors : []))];
  expect([...new Set(codes)].filter((code) => !say.has(`errors.${code}`) || !say.has(`errors.${code}.help`))).toEqual(
    [],
  );
});

it('another error names its code', () => {
  const error = new ApiError('nonce-invalid', { status: 400 });
  expect(messageOf(error).help).toContain('nonce-invalid');
  expect(messageOf(new Error('anything')).help).toContain('unknown');
});

it('a dialog that the person closed is no failure of the service', () => {
  expect(messageOf(new DOMException('', 'NotAllowedError')).title).toBe('Cancelled');
});
