import type { Request } from 'express';
import { expect, it, vi } from 'vitest';
import { ServiceError } from '../errors.ts';
import { createLookUpCredential } from './unknown-credentials.ts';

const from = (ip: string) => ({ ip }) as Request;
const found = () => Promise.resolve('somebody');
const unknown = () => Promise.reject(new ServiceError('invalid-credential'));
const create = (limit: number) => createLookUpCredential(limit, ({ ip }) => ip ?? '');

it('looks nothing up any more after too many unknown credentials of an address', async () => {
  const lookUp = create(3);
  for (let i = 0; i < 3; i += 1) {
    await expect(lookUp(from('a'), `guess ${i}`, unknown)).rejects.toMatchObject({ code: 'invalid-credential' });
  }
  const asked = vi.fn(found);
  await expect(lookUp(from('a'), 'right', asked)).rejects.toMatchObject({
    code: 'rate-limited',
    details: { retryAfterSeconds: expect.any(Number) as number },
  });
  expect(asked).not.toHaveBeenCalled();
  expect(await lookUp(from('b'), 'right', asked)).toBe('somebody');
});

it('locks nobody out who was known before', async () => {
  const lookUp = create(1);
  await lookUp(from('a'), 'mine', found);
  await expect(lookUp(from('a'), 'guess', unknown)).rejects.toThrow('invalid-credential');
  expect(await lookUp(from('a'), 'mine', found)).toBe('somebody');
  await expect(lookUp(from('a'), 'mine', unknown)).rejects.toThrow('invalid-credential');
  await expect(lookUp(from('a'), 'mine', found)).rejects.toThrow('rate-limited');
});

it('counts nothing but unknown credentials, and nothing where there is no limit', async () => {
  const lookUp = create(1);
  for (const code of ['account-suspended', 'not-ready'] as const) {
    await expect(lookUp(from('a'), 'x', () => Promise.reject(new ServiceError(code)))).rejects.toThrow(code);
  }
  expect(await lookUp(from('a'), 'y', found)).toBe('somebody');
  const free = create(0);
  for (let i = 0; i < 3; i += 1) await expect(free(from('a'), 'x', unknown)).rejects.toThrow('invalid-credential');
});
