import type { Request } from 'express';
import { expect, it } from 'vitest';
import { ServiceError } from '../platform/errors.ts';
import { createLookUpCredential } from './unknown-credentials.ts';

const from = (ip: string) => ({ ip }) as Request;
const found = () => Promise.resolve('somebody');
const unknown = () => Promise.reject(new ServiceError('invalid-credential'));
const create = (limit: number) => createLookUpCredential(limit, ({ ip }) => ip ?? '');

it('tells an address that has sent too many unknown credentials to wait', async () => {
  const lookUp = create(3);
  for (let i = 0; i < 3; i += 1) {
    await expect(lookUp(from('a'), unknown)).rejects.toMatchObject({ code: 'invalid-credential' });
  }
  await expect(lookUp(from('a'), unknown)).rejects.toMatchObject({
    code: 'rate-limited',
    details: { retryAfterSeconds: expect.any(Number) as number },
  });
  await expect(lookUp(from('b'), unknown)).rejects.toMatchObject({ code: 'invalid-credential' });
});

it('refuses no credential that exists, whatever else came from its address', async () => {
  const lookUp = create(1);
  for (let i = 0; i < 200; i += 1) await expect(lookUp(from('a'), unknown)).rejects.toThrow();
  expect(await lookUp(from('a'), found)).toBe('somebody');
});

it('counts nothing but unknown credentials, and nothing where there is no limit', async () => {
  const lookUp = create(1);
  for (const code of ['account-suspended', 'not-ready'] as const) {
    for (let i = 0; i < 3; i += 1) {
      await expect(lookUp(from('a'), () => Promise.reject(new ServiceError(code)))).rejects.toThrow(code);
    }
  }
  await expect(lookUp(from('a'), unknown)).rejects.toThrow('invalid-credential');
  const free = create(0);
  for (let i = 0; i < 3; i += 1) await expect(free(from('a'), unknown)).rejects.toThrow('invalid-credential');
});
