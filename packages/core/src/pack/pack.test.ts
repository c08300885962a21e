import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareBytes } from '../bytes.ts';
import {
  createPackWriter,
  encodePack,
  type PackInput,
  parsePack,
  recordDeleteAfterMs,
  recordSize,
  recordTag,
} from './index.ts';
import type { EpochSection } from './pack.ts';

const identifier = fc.stringMatching(/^[\x21-\x7e]{1,40}$/);
const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });

/** Anything with a deleteAfter of at most 2^53 - 1. */
const recordOf = (dimension: number) =>
  bytes(recordSize(dimension)).map((record) => {
    record[16] = 0;
    record[17] = (record[17] ?? 0) & 0x1f;
    return record;
  });

const section = fc.integer({ min: 1, max: 6 }).chain((dimension) =>
  fc.record({
    epoch: fc.nat(),
    engineId: identifier,
    dimension: fc.constant(dimension),
    checkRecord: recordOf(dimension),
    records: fc.uniqueArray(recordOf(dimension), {
      maxLength: 40,
      selector: (record) => Buffer.from(recordTag(record)).toString('hex'),
    }),
  }),
);
const packs = fc.record({
  listId: identifier,
  listVersion: fc.maxSafeNat(),
  epochs: fc
    .uniqueArray(section, { maxLength: 4, selector: (e) => e.epoch })
    .map((epochs) => epochs.sort((a, b) => b.epoch - a.epoch)),
});

const stateHashOf = (pack: PackInput): string => Buffer.from(parsePack(encodePack(pack)).stateHash()).toString('hex');

describe('packs', () => {
  it('come back as they went in, records sorted, each found by its tag and nobody else', () => {
    fc.assert(
      fc.property(packs, bytes(16), (pack, absent) => {
        const parsed = parsePack(encodePack(pack));
        expect([parsed.listId, parsed.listVersion]).toEqual([pack.listId, pack.listVersion]);
        expect(parsed.recordCount).toBe(pack.epochs.reduce((sum, e) => sum + e.records.length, 0));
        pack.epochs.forEach(({ records, ...head }, i) => {
          const got = parsed.epochs[i];
          expect(got).toMatchObject({ ...head, recordCount: records.length });
          for (const record of records) expect(got?.find(recordTag(record))).toEqual(record);
          expect([...(got?.records() ?? [])]).toEqual([...records].sort((a, b) => compareBytes(a, 0, b, 0, 16)));
          const among = records.find((record) => compareBytes(record, 0, absent, 0, 16) === 0);
          expect(got?.find(absent)).toEqual(among ?? null);
        });
      }),
      { numRuns: 150 },
    );
  });

  it('have a state hash that every change but that of the version changes', () => {
    const withRecord = packs.filter((pack) => pack.epochs.some((e) => e.records.length > 0));
    fc.assert(
      fc.property(withRecord, fc.nat(), fc.nat(), (pack, which, where) => {
        const hash = stateHashOf(pack);
        expect(stateHashOf({ ...pack, listVersion: 0 })).toBe(hash);
        expect(stateHashOf({ ...pack, listId: `${pack.listId}x` })).not.toBe(hash);
        expect(stateHashOf({ ...pack, epochs: pack.epochs.slice(1) })).not.toBe(hash);

        const index = pack.epochs.findIndex((e) => e.records.length > 0);
        const change = (changed: Partial<EpochSection>) =>
          stateHashOf({ ...pack, epochs: pack.epochs.map((e, i) => (i === index ? { ...e, ...changed } : e)) });
        const { records: all = [], checkRecord = new Uint8Array(), engineId = '' } = pack.epochs[index] ?? {};
        expect(change({ records: all.slice(1) })).not.toBe(hash);
        expect(change({ engineId: `${engineId}x` })).not.toBe(hash);
        const flip = (record: Uint8Array): Uint8Array => {
          const out = record.slice();
          // The first byte of a deadline is always 0.
          const at = where % out.length === 16 ? 17 : where % out.length;
          out[at] = (out[at] ?? 0) ^ 1;
          return out;
        };
        expect(change({ checkRecord: flip(checkRecord) })).not.toBe(hash);
        const flipped = all.map((record, i) => (i === which % all.length ? flip(record) : record));
        const tags = new Set(flipped.map((record) => Buffer.from(recordTag(record)).toString('hex')));
        if (tags.size === flipped.length) expect(change({ records: flipped })).not.toBe(hash);
      }),
      { numRuns: 100 },
    );
  });
});

const size = recordSize(2);
const record = (...tag: readonly number[]): Uint8Array => {
  const made = new Uint8Array(size).fill(7);
  // Tag and deleteAfter.
  made.fill(0, 0, 24);
  made.set(tag);
  return made;
};
const epoch = { epoch: 2, engineId: 'engine/1', dimension: 2, checkRecord: record(9), records: [record(1), record(2)] };
const input: PackInput = { listId: 'lst_1', listVersion: 5, epochs: [epoch, { ...epoch, epoch: 1 }] };
const invalidArgument = expect.objectContaining({ code: 'invalid-argument' });

describe('encodePack', () => {
  it.each<[string, Partial<PackInput>]>([
    ['the same tag twice', { epochs: [{ ...epoch, records: [record(1), record(1)] }] }],
    ['a record of the wrong length', { epochs: [{ ...epoch, records: [new Uint8Array(size - 1)] }] }],
    ['a check record of the wrong length', { epochs: [{ ...epoch, checkRecord: new Uint8Array(size + 1) }] }],
    ['epochs oldest first', { epochs: [{ ...epoch, epoch: 1 }, epoch] }],
    ['a deadline beyond 2^53', { epochs: [{ ...epoch, records: [record(1).fill(0x20, 17, 18)] }] }],
    ['a deadline beyond 2^56', { epochs: [{ ...epoch, records: [record(1).fill(1, 16, 17)] }] }],
    ['a check record with such a deadline', { epochs: [{ ...epoch, checkRecord: record(9).fill(0x20, 17, 18) }] }],
    ['a dimension of 0', { epochs: [{ ...epoch, dimension: 0 }] }],
    ['a huge dimension', { epochs: [{ ...epoch, dimension: 5000 }] }],
    ['a list with a space', { listId: 'lst 1' }],
    ['a list of 256 characters', { listId: 'l'.repeat(256) }],
    ['a version that is no safe integer', { listVersion: 2 ** 53 }],
    ['256 epochs', { epochs: Array.from({ length: 256 }, (_, i) => ({ ...epoch, epoch: 999 - i })) }],
  ])('refuses %s', (_name, change) => {
    expect(() => encodePack({ ...input, ...change })).toThrow(invalidArgument);
  });
});

describe('createPackWriter', () => {
  const open = () =>
    createPackWriter({ ...input, epochs: input.epochs.map((e) => ({ ...e, recordCount: e.records.length })) }, () =>
      createHash('sha256'),
    );

  it('hashes what it writes, by any SHA-256', () => {
    const writer = open();
    for (const { records } of input.epochs) for (const one of records) writer.add(one);
    const { bytes: written, stateHash } = writer.finish();
    expect(written).toEqual(encodePack(input));
    expect(Buffer.from(stateHash).toString('hex')).toBe(stateHashOf(input));
  });

  it.each([
    ['records out of order', [record(2), record(1)]],
    ['too many records', [1, 2, 1, 2, 3].map((tag) => record(tag))],
    ['too few records', [record(1)]],
  ])('refuses %s', (_what, records) => {
    const writer = open();
    expect(() => {
      for (const one of records) writer.add(one);
      writer.finish();
    }).toThrow(invalidArgument);
  });
});

describe('parsePack', () => {
  const written = encodePack(input);
  const head = 8 + 8 + 2 + 5 + 1;
  const records = head + 4 + 2 + 8 + 2 + 4 + size;
  const changed = (at: number, ...values: readonly number[]): Uint8Array => {
    const out = written.slice();
    out.set(values, at);
    return out;
  };

  // What else it refuses, pack.fuzz.test.ts finds.
  it.each([
    ['dimension 0', changed(head + 14, 0, 0)],
    ['a huge dimension', changed(head + 14, 0xff, 0xff)],
    ['four billion records', changed(head + 16, 0xff, 0xff, 0xff, 0xff)],
  ])('refuses %s', (_name, pack) => {
    expect(() => parsePack(pack)).toThrow(expect.objectContaining({ code: 'pack-invalid' }));
  });

  it('reads the latest deadline there is', () => {
    const latest = parsePack(changed(records + 16, 0, 0x1f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff));
    const [first = new Uint8Array()] = latest.epochs[0]?.records() ?? [];
    expect(recordDeleteAfterMs(first)).toBe(Number.MAX_SAFE_INTEGER);
  });

  it('reads a view in the middle of a buffer, without copying, and no tags of another length', () => {
    const around = new Uint8Array(written.length + 20);
    around.set(written, 11);
    const [first] = parsePack(around.subarray(11, 11 + written.length)).epochs;
    const found = first?.find(record(2).subarray(0, 16));
    expect(found).toEqual(record(2));
    expect(found?.buffer).toBe(around.buffer);
    for (const length of [15, 17]) expect(() => first?.find(new Uint8Array(length))).toThrow(invalidArgument);
  });
});
