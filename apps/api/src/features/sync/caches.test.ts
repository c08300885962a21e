import { createHash, randomBytes } from 'node:crypto';
import { createPackWriter, parsePack, recordSize } from '@svc/core/pack';
import { describe, expect, it, vi } from 'vitest';
import type { Transaction } from '../../db/connection.ts';
import { DeltaCache, type ListState, SnapshotCache } from './caches.ts';
import type { Delta } from './delta.ts';
import { stateOf, updateState } from './list-state.ts';
import type { Snapshot } from './snapshot.ts';
import type { ChangedFace, EpochHead, ListHead, SyncStore } from './store.ts';

const LIMITS = { payloadBytes: 1_000, payloadMs: 1_000, stateBytes: 10_000, stateMs: 60_000 };

const list = { accountId: 'acc_1', listId: 'lst_1' };
const headOf = (version: number): ListHead => ({
  ...{ listId: list.listId, version, ongoing: true, enrollmentClosed: false, headTurnAlternative: 'none' },
  ...{ retentionDeadline: null, name: 'Members', accountName: 'Hall', eventName: null, reEntry: 'off' },
  ...{ reEntryScope: 'device', attendance: 'staffed', mode: 'live', arrivals: 'off', checkIn: null },
});

describe('snapshot cache', () => {
  const other = { accountId: 'acc_1', listId: 'lst_2' };

  function snapshot(version: number, bytes = 10): Snapshot {
    return {
      head: headOf(version),
      epochs: [],
      recordCount: version,
      payload: [new Uint8Array(bytes)],
      packBytes: bytes,
      packSha256: Buffer.alloc(32),
      stateHash: new Uint8Array(32).fill(version),
      buckets: null,
    };
  }

  const builder = (version: number, bytes?: number) =>
    vi.fn(() => Promise.resolve<Snapshot | null>(snapshot(version, bytes)));

  it('builds a version once, for all who ask meanwhile and later, and has nothing for another version or list', async () => {
    const cache = new SnapshotCache();
    const build = builder(3);
    const all = await Promise.all([1, 2, 3].map(() => cache.snapshot(list, 3, build)));
    expect(new Set([...all, await cache.snapshot(list, 3, build)]).size).toBe(1);
    expect(build).toHaveBeenCalledTimes(1);
    expect(cache.state(list, 3)?.recordCount).toBe(3);
    expect([cache.state(list, 2), cache.state(other, 3)]).toEqual([null, null]);
    expect((await cache.snapshot(list, 4, builder(4)))?.head.version).toBe(4);
    expect([cache.state(list, 3), cache.payloadBytes]).toEqual([null, 10]);
  });

  it('keeps what was built newer than what was asked for, not an older build that ends later', async () => {
    const cache = new SnapshotCache();
    expect((await cache.snapshot(list, 3, builder(5)))?.head.version).toBe(5);
    await cache.snapshot(other, 5, builder(5));
    await cache.snapshot(other, 4, builder(4));
    for (const each of [list, other]) expect(cache.state(each, 5)?.recordCount).toBe(5);
  });

  it('forgets a build that failed, and a list that is gone', async () => {
    const cache = new SnapshotCache();
    await expect(cache.snapshot(list, 1, () => Promise.reject(new Error('down')))).rejects.toThrow('down');
    expect(await cache.snapshot(list, 1, () => Promise.resolve(null))).toBeNull();
    expect((await cache.snapshot(list, 1, builder(1)))?.head.version).toBe(1);
  });

  it('stays within its bytes, the oldest going first, and keeps states within their own', async () => {
    const cache = new SnapshotCache({ ...LIMITS, payloadBytes: 25, stateBytes: 1_500 });
    const third = { accountId: 'acc_1', listId: 'lst_3' };
    for (const each of [list, other, third]) await cache.snapshot(each, 1, builder(1));
    expect(cache.payloadBytes).toBe(20);
    expect([list, other, third].map((each) => cache.state(each, 1) === null)).toEqual([true, false, false]);
    await cache.snapshot(list, 1, builder(1, 26));
    expect(cache.payloadBytes).toBe(20);
    expect(cache.state(list, 1)?.recordCount).toBe(1);
    cache.clear();
    expect([cache.payloadBytes, cache.state(list, 1)]).toEqual([0, null]);
  });

  it('lets a payload go after its time, a state before the removals since are forgotten', async () => {
    const cache = new SnapshotCache({ ...LIMITS, payloadMs: 20 });
    await cache.snapshot(list, 1, builder(1));
    await expect.poll(() => cache.payloadBytes).toBe(0);
    expect(cache.state(list, 1)).not.toBeNull();
    const brief = new SnapshotCache({ ...LIMITS, stateMs: 20 });
    await brief.snapshot(list, 1, builder(1));
    await expect.poll(() => brief.newest(list)).toBeNull();
  });

  it('gives the next build of a large list what an answer still sends, one build at a time', async () => {
    const cache = new SnapshotCache({ ...LIMITS, payloadBytes: 1 });
    const large = (version: number): Snapshot => ({
      ...snapshot(version),
      payload: [Buffer.alloc(9), Buffer.alloc(1)],
    });
    const bases: (number | null)[] = [];
    let building = 0;
    const build = (version: number) => async (base: Snapshot | null) => {
      building += 1;
      expect(building).toBe(1);
      bases.push(base?.head.version ?? null);
      await Promise.resolve();
      building -= 1;
      return large(version);
    };
    const first = await cache.snapshot(list, 1, build(1));
    const both = await Promise.all([cache.snapshot(list, 2, build(2)), cache.snapshot(list, 3, build(3))]);
    expect(both.map((each) => each?.head.version)).toEqual([2, 3]);
    expect(await cache.snapshot(list, 2, build(9))).toMatchObject({ payload: both[1]?.payload });
    await cache.snapshot(other, 1, build(1));
    expect(bases).toEqual([null, 1, 2, null]);
    expect(first?.payload).toHaveLength(2);
    expect(cache.payloadBytes).toBe(0);
  });
});

describe('delta cache', () => {
  const none = { epochs: [], buckets: null, packSha256: null };
  function delta(version: number, bytes = 10): Delta {
    return {
      head: headOf(version),
      state: { ...{ recordCount: 1, stateHash: new Uint8Array(32), packBytes: 1_000 }, ...none },
      payload: new Uint8Array(bytes),
      payloadSha256: Buffer.alloc(32),
    };
  }

  it('builds once a list and versions for all who ask meanwhile, and keeps what it built', async () => {
    const cache = new DeltaCache();
    const build = vi.fn(() => Promise.resolve<Delta | null>(delta(6)));
    const [a, b] = await Promise.all([cache.delta(list, 3, 6, build), cache.delta(list, 3, 6, build)]);
    expect([a, await cache.delta(list, 3, 6, build)]).toEqual([b, b]);
    expect(build).toHaveBeenCalledTimes(1);
    await cache.delta(list, 4, 6, build);
    await cache.delta({ ...list, listId: 'lst_2' }, 3, 6, build);
    expect(build).toHaveBeenCalledTimes(3);
  });

  it('keeps a later version under that version, and neither nothing nor a failure', async () => {
    const cache = new DeltaCache();
    await cache.delta(list, 3, 5, () => Promise.resolve(delta(6)));
    const build = vi.fn(() => Promise.resolve(null));
    expect((await cache.delta(list, 3, 6, build))?.head.version).toBe(6);
    expect(build).not.toHaveBeenCalled();
    await expect(cache.delta(list, 3, 5, () => Promise.reject(new Error('down')))).rejects.toThrow('down');
    expect([await cache.delta(list, 3, 5, build), await cache.delta(list, 3, 5, build)]).toEqual([null, null]);
    expect(build).toHaveBeenCalledTimes(2);
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

describe('list state', () => {
  const size = recordSize(1);
  const tx = {} as Transaction;
  const epochs: readonly EpochHead[] = [
    { epoch: 1, engineId: 'e', dimension: 1, matchThreshold: 0.5, checkRecord: Buffer.alloc(size) },
  ];

  const record = (tag: Buffer, fill: number) => Buffer.concat([tag, Buffer.alloc(8), Buffer.alloc(size - 24, fill)]);
  const sorted = (records: readonly Buffer[]) => [...records].sort((a, b) => a.compare(b));

  /** A store with these records that counts reads. */
  function storeOf(records: readonly Buffer[]) {
    let read = 0;
    const servedRecords = vi.fn<SyncStore['servedRecords']>((_tx, _list, _epoch, { after, through }, limit) => {
      const from = sorted(records)
        .filter((each) => after === null || each.subarray(0, 16).compare(after) > 0)
        .filter((each) => through === null || each.subarray(0, 16).compare(through) <= 0);
      read += Math.min(limit, from.length);
      return Promise.resolve(Buffer.concat(from.slice(0, limit)));
    });
    return { store: { servedRecords } as unknown as SyncStore, read: () => read };
  }

  /** The state computed from the whole list. */
  function wholeState(records: readonly Buffer[]): ListState {
    const writer = createPackWriter({
      listId: list.listId,
      listVersion: 1,
      epochs: epochs.map((epoch) => ({ ...epoch, recordCount: records.length })),
    });
    for (const each of sorted(records)) writer.add(each);
    const { bytes, stateHash, buckets } = writer.finish();
    expect(Buffer.from(stateHash)).toEqual(Buffer.from(parsePack(bytes).stateHash()));
    return { recordCount: records.length, packBytes: bytes.length, packSha256: null, stateHash, epochs, buckets };
  }

  const changeOf = (tag: Buffer, isServed: boolean): ChangedFace => ({ epoch: 1, tag, version: 2, isServed });
  const plain = (state: ListState | null) =>
    state && {
      ...state,
      stateHash: Buffer.from(state.stateHash).toString('hex'),
      buckets: state.buckets?.map(({ hashes, counts }) => [Buffer.from(hashes).toString('hex'), [...counts]]),
    };

  const before = Array.from({ length: 30_000 }, () => record(randomBytes(16), 1));
  const tagged = (first: number) =>
    createHash('sha256').update(String(first)).digest().subarray(0, 16).fill(first, 0, 1);

  it('is made of the one before and of the buckets that changed', async () => {
    const [gone = Buffer.alloc(0), replaced = Buffer.alloc(0), ...rest] = before;
    const [first, last] = [tagged(0), tagged(255)];
    const after = [...rest, record(replaced.subarray(0, 16), 2), record(first, 3), record(last, 3)];
    const changed = [
      changeOf(gone.subarray(0, 16), false),
      changeOf(replaced.subarray(0, 16), true),
      changeOf(first, true),
      changeOf(last, true),
    ];
    const { store, read } = storeOf(after);
    const base = { version: 1, state: wholeState(before) };
    const updated = await updateState(store, tx, list, { base, epochs, changed });
    expect(plain(updated)).toEqual(plain(wholeState(after)));
    expect(read()).toBeLessThan(before.length / 40);
  });

  it('is read completely when changes are everywhere, the epochs differ, or nothing is known', async () => {
    const { store } = storeOf(before);
    const state = wholeState(before);
    const base = { version: 1, state };
    const everywhere = before.slice(0, 3_000).map((each) => changeOf(each.subarray(0, 16), true));
    expect(await updateState(store, tx, list, { base, epochs, changed: everywhere })).toBeNull();
    const others = epochs.map((epoch) => ({ ...epoch, checkRecord: Buffer.alloc(size, 1) }));
    expect(await updateState(store, tx, list, { base, epochs: others, changed: [] })).toBeNull();
    const small = { version: 1, state: { ...state, buckets: null } };
    expect(await updateState(store, tx, list, { base: small, epochs, changed: [] })).toBeNull();
    const head = headOf(1);
    expect(await stateOf(store, tx, list, { head, known: null, epochs, limit: 10 })).toBeNull();
    expect(await stateOf(store, tx, list, { head, known: { ...base, version: 2 }, epochs, limit: 10 })).toBeNull();
    expect(await stateOf(store, tx, list, { head, known: base, epochs, limit: 10 })).toBe(state);
  });
});
