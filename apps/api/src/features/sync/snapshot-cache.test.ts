import { describe, expect, it, vi } from 'vitest';
import type { Snapshot } from './snapshot.ts';
import { SnapshotCache } from './snapshot-cache.ts';

const list = { accountId: 'acc_1', listId: 'lst_1' };
const other = { accountId: 'acc_1', listId: 'lst_2' };

function snapshot(version: number, bytes = 10): Snapshot {
  return {
    head: {
      listId: 'lst_1',
      version,
      ongoing: true,
      enrollmentClosed: false,
      headTurnAlternative: 'none',
      retentionDeadline: null,
    },
    epochs: [],
    recordCount: version,
    payload: new Uint8Array(bytes),
    payloadSha256: Buffer.alloc(32),
    stateHash: new Uint8Array(32).fill(version),
    buckets: null,
  };
}

/** Counts how often it built. */
function builder(version: number, bytes?: number) {
  const built = vi.fn(() => Promise.resolve<Snapshot | null>(snapshot(version, bytes)));
  return built;
}

describe('snapshot cache', () => {
  it('builds a version once', async () => {
    const cache = new SnapshotCache();
    const build = builder(3);
    const first = await cache.snapshot(list, 3, build);
    expect(await cache.snapshot(list, 3, build)).toBe(first);
    expect(build).toHaveBeenCalledTimes(1);
    expect(cache.state(list, 3)?.recordCount).toBe(3);
  });

  it('builds once for all who ask meanwhile', async () => {
    const cache = new SnapshotCache();
    const build = builder(3);
    const all = await Promise.all([1, 2, 3].map(() => cache.snapshot(list, 3, build)));
    expect(new Set(all).size).toBe(1);
    expect(build).toHaveBeenCalledTimes(1);
  });

  it('tells nothing of another version or another list', async () => {
    const cache = new SnapshotCache();
    await cache.snapshot(list, 3, builder(3));
    expect(cache.state(list, 2)).toBeNull();
    expect(cache.state(other, 3)).toBeNull();
    const next = builder(4);
    expect((await cache.snapshot(list, 4, next))?.head.version).toBe(4);
    expect(next).toHaveBeenCalledTimes(1);
    expect(cache.state(list, 3)).toBeNull();
    expect(cache.payloadBytes).toBe(10);
  });

  it('keeps what was built newer than what was asked for', async () => {
    const cache = new SnapshotCache();
    expect((await cache.snapshot(list, 3, builder(5)))?.head.version).toBe(5);
    expect(cache.state(list, 5)?.recordCount).toBe(5);
  });

  it('is not set back by an older build that ends later', async () => {
    const cache = new SnapshotCache();
    await cache.snapshot(list, 5, builder(5));
    await cache.snapshot(list, 4, builder(4));
    expect(cache.state(list, 5)?.recordCount).toBe(5);
  });

  it('forgets a build that failed, and a list that is gone', async () => {
    const cache = new SnapshotCache();
    await expect(cache.snapshot(list, 1, () => Promise.reject(new Error('down')))).rejects.toThrow('down');
    expect(await cache.snapshot(list, 1, () => Promise.resolve(null))).toBeNull();
    expect((await cache.snapshot(list, 1, builder(1)))?.head.version).toBe(1);
  });

  it('stays within its bytes, the oldest going first', async () => {
    const cache = new SnapshotCache({ payloadBytes: 25, states: 10, payloadMs: 1000 });
    await cache.snapshot(list, 1, builder(1));
    await cache.snapshot(other, 1, builder(1));
    await cache.snapshot({ accountId: 'acc_1', listId: 'lst_3' }, 1, builder(1));
    expect(cache.payloadBytes).toBe(20);
    const again = builder(1);
    await cache.snapshot(list, 1, again);
    expect(again).toHaveBeenCalledTimes(1);
    await cache.snapshot({ accountId: 'acc_1', listId: 'lst_4' }, 1, builder(1, 26));
    expect(cache.payloadBytes).toBe(20);
    expect(cache.state({ accountId: 'acc_1', listId: 'lst_4' }, 1)?.recordCount).toBe(1);
  });

  it('lets a payload go after its time and keeps the state', async () => {
    const cache = new SnapshotCache({ payloadBytes: 25, states: 10, payloadMs: 20 });
    await cache.snapshot(list, 1, builder(1));
    expect(cache.payloadBytes).toBe(10);
    await expect.poll(() => cache.payloadBytes).toBe(0);
    expect(cache.state(list, 1)).not.toBeNull();
  });

  it('bounds the states too', async () => {
    const cache = new SnapshotCache({ payloadBytes: 1, states: 1, payloadMs: 1000 });
    await cache.snapshot(list, 1, builder(1));
    await cache.snapshot(other, 1, builder(1));
    expect(cache.state(list, 1)).toBeNull();
    expect(cache.state(other, 1)).not.toBeNull();
    cache.clear();
    expect(cache.state(other, 1)).toBeNull();
  });
});
