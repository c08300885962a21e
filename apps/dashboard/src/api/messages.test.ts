import { operations } from '@svc/protocol';
import { createSay } from '@svc/ui/say';
import { expect, it } from 'vitest';
import en from '../text/en.json';
import { ApiError } from './errors.ts';
import { messageOf, spokenErrors } from './messages.ts';
import { endpoints } from './operations.ts';

const say = createSay('en', en as never) as Parameters<typeof messageOf>[1];

it('every error of an operation that the dashboard may call is said in words', () => {
  const codes = operations.flatMap(({ operationId, errors }) => (operationId in endpoints ? errors : []));
  expect([...new Set(codes)].filter((code) => !spokenErrors.has(code))).toEqual([]);
});

it.each([...spokenErrors])('%s has a title and what to do', (code) => {
  expect(Object.keys(en)).toEqual(expect.arrayContaining([`errors.${code}`, `errors.${code}.help`]));
});

it('another error names its code', () => {
  const error = new ApiError('nonce-invalid', { status: 400 });
  expect(messageOf(error, say).help).toContain('nonce-invalid');
  expect(messageOf(new Error('anything'), say).help).toContain('unknown');
});

it('a dialog that the person closed is no failure of the service', () => {
  expect(messageOf(new DOMException('', 'NotAllowedError'), say).title).toBe('Cancelled');
});
