import { expect, it, vi } from 'vitest';
import { FaceError } from './index.ts';

it('a FaceError is recognised across copies of the package, and nothing else is', async () => {
  vi.resetModules();
  const copy = await import('./errors.ts');
  const error = new copy.FaceError('open-failed', 'no');
  expect(error).not.toBeInstanceOf(FaceError);
  expect(FaceError.is(error)).toBe(true);
  for (const other of [new Error('no'), { code: 'open-failed' }, null, undefined, 'open-failed']) {
    expect(FaceError.is(other)).toBe(false);
  }
});
