import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareBytes } from '../bytes.ts';
import { type EpochSection, encodePack, packStateHash, parsePack, recordSize, recordTag } from './index.ts';

const identifier = fc.stringMatching(/^[\x21-\x7e]{1,40}$/);
const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });

/** Anything with a deleteAfter of at most 2^53 - 1. */
const recordOf = (dimension: number) =>
  bytes(recordSize(dimension)).map((record) => {
    record[16] = 0;
    record[17] = (record[17] ?? 0) & 0x1f;
    return record;
  });

function records(dimension: number) {
  return fc.uniqueArray(recordOf(dimension), {
    maxLength: 40,
    selector: (r) => Buffer.from(recordTag(r)).toString('hex'),
  });
}

const section = fc.integer({ min: 1, max: 6 }).chain((dimension) =>
  fc.record({
    epoch: fc.nat(),
    engineId: identifier,
    dimension: fc.constant(dimension),
    checkRecord: recordOf(dimension),
    records: records(dimension),
  }),
);
const input = fc.record({
  listId: identifier,
  listVersion: fc.maxSafeNat(),
  epochs: fc
    .uniqueArray(section, { maxLength: 4, selector: (e) => e.epoch })
    .map((epochs) => epochs.sort((a, b) => b.epoch - a.epoch)),
});

describe('packs', () => {
  it('come back as they went in, records sorted, each found by its tag', () => {
    fc.assert(
      fc.property(input, (pack) => {
        const parsed = parsePack(encodePack(pack));
        expect([parsed.listId, parsed.listVersion]).toEqual([pack.listId, pack.listVersion]);
        expect(parsed.recordCount).toBe(pack.epochs.reduce((sum, e) => sum + e.records.length, 0));
        expect(parsed.stateHash()).toEqual(packStateHash(pack));
        pack.epochs.forEach((epoch, i) => {
          const got = parsed.epochs[i];
          expect([got?.epoch, got?.engineId, got?.dimension]).toEqual([epoch.epoch, epoch.engineId, epoch.dimension]);
          expect(got?.recordCount).toBe(epoch.records.length);
          expect(got?.checkRecord).toEqual(epoch.checkRecord);
          for (const record of epoch.records) expect(got?.find(recordTag(record))).toEqual(record);
          const order = [...(got?.records() ?? [])];
          expect(order).toEqual([...epoch.records].sort((a, b) => compareBytes(a, 0, b, 0, 16)));
        });
      }),
      { numRuns: 150 },
    );
  });

  it('find no record for people who are not in them', () => {
    fc.assert(
      fc.property(input, bytes(16), (pack, tag) => {
        for (const epoch of parsePack(encodePack(pack)).epochs) {
          const among = [...epoch.records()].find((record) => compareBytes(record, 0, tag, 0, 16) === 0);
          expect(epoch.find(tag)).toEqual(among ?? null);
        }
      }),
      { numRuns: 100 },
    );
  });

  it('do not depend on the order in which records come', () => {
    const shuffled = input.chain((pack) =>
      fc.tuple(
        fc.constant(pack),
        fc.tuple(...pack.epochs.map((e) => fc.shuffledSubarray([...e.records], { minLength: e.records.length }))),
      ),
    );
    fc.assert(
      fc.property(shuffled, ([pack, orders]) => {
        const other = { ...pack, epochs: pack.epochs.map((e, i) => ({ ...e, records: orders[i] ?? [] })) };
        expect(encodePack(other)).toEqual(encodePack(pack));
        expect(packStateHash(other)).toEqual(packStateHash(pack));
      }),
      { numRuns: 100 },
    );
  });

  it('have a state hash that every change but that of the version changes', () => {
    const withRecord = input.filter((pack) => pack.epochs.some((e) => e.records.length > 0));
    fc.assert(
      fc.property(withRecord, fc.nat(), fc.nat(), (pack, which, where) => {
        const hash = Buffer.from(packStateHash(pack)).toString('hex');
        const hashOf = (epochs: readonly EpochSection[], listId = pack.listId) =>
          Buffer.from(packStateHash({ ...pack, listId, epochs })).toString('hex');
        expect(Buffer.from(packStateHash({ ...pack, listVersion: 0 })).toString('hex')).toBe(hash);
        expect(hashOf(pack.epochs, `${pack.listId}x`)).not.toBe(hash);
        expect(hashOf(pack.epochs.slice(1))).not.toBe(hash);

        const index = pack.epochs.findIndex((e) => e.records.length > 0);
        const change = (changed: Partial<EpochSection>) =>
          hashOf(pack.epochs.map((e, i) => (i === index ? { ...e, ...changed } : e)));
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
