import { describe, expect, it } from 'vitest';
import { encodePack, type PackInput, packStateHash, parsePack, recordDeleteAfterMs, recordSize } from './index.ts';

const size = recordSize(2);
const record = (...tag: readonly number[]): Uint8Array => {
  const bytes = new Uint8Array(size).fill(7);
  // Tag and deleteAfter.
  bytes.fill(0, 0, 24);
  bytes.set(tag);
  return bytes;
};
const epoch = { epoch: 2, engineId: 'engine/1', dimension: 2, checkRecord: record(9), records: [record(2), record(1)] };
const input: PackInput = { listId: 'lst_1', listVersion: 5, epochs: [epoch, { ...epoch, epoch: 1 }] };
const invalidPack = expect.objectContaining({ code: 'pack-invalid' });
const invalidArgument = expect.objectContaining({ code: 'invalid-argument' });

describe('encodePack', () => {
  it.each<[string, Partial<PackInput>]>([
    ['the same tag twice', { epochs: [{ ...epoch, records: [record(1), record(1)] }] }],
    ['a record of the wrong length', { epochs: [{ ...epoch, records: [new Uint8Array(size - 1)] }] }],
    ['an empty record', { epochs: [{ ...epoch, records: [new Uint8Array()] }] }],
    ['a check record of the wrong length', { epochs: [{ ...epoch, checkRecord: new Uint8Array(size + 1) }] }],
    ['epochs oldest first', { epochs: [{ ...epoch, epoch: 1 }, epoch] }],
    ['an epoch twice', { epochs: [epoch, epoch] }],
    ['a deadline beyond 2^53', { epochs: [{ ...epoch, records: [record(1).fill(0x20, 17, 18)] }] }],
    ['a deadline beyond 2^56', { epochs: [{ ...epoch, records: [record(1).fill(1, 16, 17)] }] }],
    ['a check record with such a deadline', { epochs: [{ ...epoch, checkRecord: record(9).fill(0x20, 17, 18) }] }],
    ['a dimension of 0', { epochs: [{ ...epoch, dimension: 0 }] }],
    ['a huge dimension', { epochs: [{ ...epoch, dimension: 5000 }] }],
    ['no list', { listId: '' }],
    ['a list with a space', { listId: 'lst 1' }],
    ['a list of 256 characters', { listId: 'l'.repeat(256) }],
    ['a negative version', { listVersion: -1 }],
    ['a version that is no safe integer', { listVersion: 2 ** 53 }],
    ['256 epochs', { epochs: Array.from({ length: 256 }, (_, i) => ({ ...epoch, epoch: 999 - i })) }],
  ])('refuses %s, and so does the state hash', (_name, change) => {
    expect(() => encodePack({ ...input, ...change })).toThrow(invalidArgument);
    expect(() => packStateHash({ ...input, ...change })).toThrow(invalidArgument);
  });

  it('leaves its input as it was', () => {
    encodePack(input);
    expect(epoch.records.map((r) => r[0])).toEqual([2, 1]);
  });

  it('writes a list without epochs, and epochs without records', () => {
    expect(parsePack(encodePack({ ...input, epochs: [] })).recordCount).toBe(0);
    const empty = parsePack(encodePack({ ...input, epochs: [{ ...epoch, records: [] }] }));
    expect(empty.epochs[0]?.find(new Uint8Array(16))).toBeNull();
  });
});

describe('parsePack', () => {
  const bytes = encodePack(input);
  const head = 8 + 8 + 2 + 5 + 1;
  const records = head + 4 + 2 + 8 + 2 + 4 + size;
  const changed = (at: number, ...values: readonly number[]): Uint8Array => {
    const out = bytes.slice();
    out.set(values, at);
    return out;
  };

  it('refuses every length but the right one', () => {
    for (let length = 0; length < bytes.length; length++) {
      expect(() => parsePack(bytes.subarray(0, length)), `${length}`).toThrow(invalidPack);
    }
    const longer = new Uint8Array(bytes.length + 1);
    longer.set(bytes);
    expect(() => parsePack(longer)).toThrow(invalidPack);
  });

  it.each([
    ['another magic', changed(7, 0x32)],
    ['a version beyond 2^53', changed(8, 0xff)],
    ['an empty list id', changed(16, 0, 0)],
    ['a control character in the list id', changed(18, 7)],
    ['a huge list id', changed(16, 0xff, 0xff)],
    ['more epochs than there are', changed(head - 1, 3)],
    ['fewer epochs than there are', changed(head - 1, 1)],
    ['epochs that rise', changed(head, 0, 0, 0, 1)],
    ['dimension 0', changed(head + 14, 0, 0)],
    ['a huge dimension', changed(head + 14, 0xff, 0xff)],
    ['four billion records', changed(head + 16, 0xff, 0xff, 0xff, 0xff)],
    ['tags that fall', changed(records, 3)],
    ['a tag twice', changed(records, 2)],
    ['a deadline beyond 2^53', changed(records + 16, 0, 0x20)],
    ['a deadline beyond 2^56', changed(records + 16, 1)],
    ['the last deadline beyond 2^53', changed(bytes.length - size + 16, 0, 0xff)],
    ['a deadline beyond 2^53 of the check record', changed(records - size + 16, 0, 0x20)],
  ])('refuses %s', (_name, pack) => {
    expect(() => parsePack(pack)).toThrow(invalidPack);
  });

  it('reads the latest deadline there is', () => {
    const latest = parsePack(changed(records + 16, 0, 0x1f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff));
    const [first = new Uint8Array()] = latest.epochs[0]?.records() ?? [];
    expect(recordDeleteAfterMs(first)).toBe(Number.MAX_SAFE_INTEGER);
  });

  it('reads a view in the middle of a buffer, without copying', () => {
    const around = new Uint8Array(bytes.length + 20);
    around.set(bytes, 11);
    const pack = parsePack(around.subarray(11, 11 + bytes.length));
    const found = pack.epochs[0]?.find(record(2).subarray(0, 16));
    expect(found).toEqual(record(2));
    expect(found?.buffer).toBe(around.buffer);
  });

  it('refuses tags of another length', () => {
    const [first] = parsePack(bytes).epochs;
    for (const length of [0, 15, 17]) expect(() => first?.find(new Uint8Array(length))).toThrow(invalidArgument);
  });

  it('finds every person of a million and no others', () => {
    const count = 1_000_000;
    const wide = recordSize(1);
    const one = encodePack({
      listId: 'l',
      listVersion: 1,
      epochs: [{ ...epoch, dimension: 1, checkRecord: new Uint8Array(wide), records: [new Uint8Array(wide)] }],
    });
    const start = one.length - wide;
    const big = new Uint8Array(start + count * wide);
    big.set(one.subarray(0, start));
    const view = new DataView(big.buffer);
    view.setUint32(start - wide - 4, count);
    // Tags are even numbers, spread over the whole range.
    for (let i = 0; i < count; i++) view.setUint32(start + i * wide, i * 4294);
    const [only] = parsePack(big).epochs;
    expect(only?.recordCount).toBe(count);
    const tag = new Uint8Array(16);
    for (let i = 0; i < count; i += 997) {
      new DataView(tag.buffer).setUint32(0, i * 4294);
      expect(only?.find(tag)?.byteOffset).toBe(start + i * wide);
      new DataView(tag.buffer).setUint32(0, i * 4294 + 1);
      expect(only?.find(tag)).toBeNull();
    }
  });
});
