import { expect, it } from 'vitest';
import { sqlState } from './sql-state.ts';

const withCode = (code: string, more: object = {}) => Object.assign(new Error('any'), { code, ...more });

it.each([
  ['of PostgreSQL', withCode('40P01'), '40P01'],
  ['of the operating system, of the same form', withCode('EPIPE', { syscall: 'write' }), undefined],
  ['of the operating system', withCode('ECONNRESET', { syscall: 'read' }), undefined],
  ['of nobody', new Error('any'), undefined],
  ['of no error', { code: '40P01' }, undefined],
])('an error %s', (_whose, error, state) => {
  expect(sqlState(error)).toBe(state);
});
