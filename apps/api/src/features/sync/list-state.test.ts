import { createHash, randomBytes } from 'node:crypto';
import { createPackWriter, parsePack, recordSize } from '@svc/core/pack';
import { describe, expect, it, vi } from 'vitest';
import type { Transaction } from '../../db/connection.ts';
import type { ListState } from './caches.ts';
import { stateOf, updateState } from './list-state.ts';
import type { ChangedFace, EpochHead, SyncStore } from './store.ts';

const list = { accountId: 'acc_1', listId: 'lst_1' };
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
  return { recordCount: records.length, packBytes: bytes.length, stateHash, epochs, buckets };
}

const changeOf = (tag: Buffer, isServed: boolean): ChangedFace => ({ epoch: 1, tag, version: 2, isServed });
const plain = (state: ListState | null) =>
  state && {
    ...state,
    stateHash: Buffer.from(state.stateHash).toString('hex'),
    buckets: state.buckets?.map(({ hashes, counts }) => [Buffer.from(hashes).toString('hex'), [...counts]]),
  };

describe('the state of a large list', () => {
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
    const head = {
      listId: list.listId,
      version: 1,
      ongoing: true,
      enrollmentClosed: false,
      headTurnAlternative: 'none' as const,
      retentionDeadline: null,
      name: 'Members',
      eventName: null,
      reEntry: 'off' as const,
      checkIn: null,
    };
    expect(await stateOf(store, tx, list, { head, known: null, epochs, limit: 10 })).toBeNull();
    expect(await stateOf(store, tx, list, { head, known: { ...base, version: 2 }, epochs, limit: 10 })).toBeNull();
    expect(await stateOf(store, tx, list, { head, known: base, epochs, limit: 10 })).toBe(state);
  });
});
