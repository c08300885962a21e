import { describe, expect, it, vi } from 'vitest';
import type { Delta } from './delta.ts';
import { DeltaCache } from './delta-cache.ts';

const list = { accountId: 'acc_1', listId: 'lst_1' };

function delta(version: number, bytes = 10): Delta {
  return {
    head: {
      listId: 'lst_1',
      version,
      ongoing: true,
      enrollmentClosed: false,
      headTurnAlternative: 'none',
      retentionDeadline: null,
    },
    state: { recordCount: 1, stateHash: new Uint8Array(32), epochs: [], buckets: null, packBytes: 1_000 },
    payload: new Uint8Array(bytes),
    payloadSha256: Buffer.alloc(32),
  };
}

describe('delta cache', () => {
  it('builds once for all who ask meanwhile, and keeps what it built', async () => {
    const cache = new DeltaCache();
    const build = vi.fn(() => Promise.resolve<Delta | null>(delta(5)));
    const [a, b] = await Promise.all([cache.delta(list, 3, 5, build), cache.delta(list, 3, 5, build)]);
    expect([a, await cache.delta(list, 3, 5, build)]).toEqual([b, b]);
    expect(build).toHaveBeenCalledTimes(1);
  });

  it('tells versions and lists apart', async () => {
    const cache = new DeltaCache();
    const build = vi.fn((version: number) => Promise.resolve<Delta | null>(delta(version)));
    await cache.delta(list, 3, 5, () => build(5));
    await cache.delta(list, 4, 5, () => build(5));
    await cache.delta(list, 3, 6, () => build(6));
    await cache.delta({ ...list, listId: 'lst_2' }, 3, 5, () => build(5));
    expect(build).toHaveBeenCalledTimes(4);
  });

  it('keeps a later version under that version, and nothing where there is nothing', async () => {
    const cache = new DeltaCache();
    await cache.delta(list, 3, 5, () => Promise.resolve(delta(6)));
    const build = vi.fn(() => Promise.resolve(null));
    expect((await cache.delta(list, 3, 6, build))?.head.version).toBe(6);
    expect(build).not.toHaveBeenCalled();
    expect(await cache.delta(list, 3, 5, build)).toBeNull();
    expect(await cache.delta(list, 3, 5, build)).toBeNull();
    expect(build).toHaveBeenCalledTimes(2);
  });

  it('does not remember a failure', async () => {
    const cache = new DeltaCache();
    await expect(cache.delta(list, 3, 5, () => Promise.reject(new Error('down')))).rejects.toThrow('down');
    expect(await cache.delta(list, 3, 5, () => Promise.resolve(delta(5)))).not.toBeNull();
  });

  it('lets the least recently used go when they are too many or too large', async () => {
    const cache = new DeltaCache({ payloadBytes: 25, entries: 2 });
    const ask = (since: number, bytes = 10) => {
      const build = vi.fn(() => Promise.resolve<Delta | null>(delta(9, bytes)));
      return cache.delta(list, since, 9, build).then(() => build.mock.calls.length);
    };
    expect([await ask(1), await ask(2), await ask(1), await ask(3)]).toEqual([1, 1, 0, 1]);
    expect([await ask(1), await ask(2)]).toEqual([0, 1]);
    expect(cache.payloadBytes).toBe(20);
    expect([await ask(4, 26), await ask(4, 26)]).toEqual([1, 1]);
    cache.clear();
    expect(cache.payloadBytes).toBe(0);
  });
});
