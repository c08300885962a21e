import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { EpochSection, PackInput } from './pack.ts';
import { encodePack, packStateHash } from './pack.ts';
import { createPackWriter, type PackWriter } from './pack-writer.ts';
import { recordSize } from './record.ts';

const record = (dimension: number, tag: number, fill: number): Uint8Array => {
  const bytes = new Uint8Array(recordSize(dimension)).fill(fill);
  // Tag and deleteAfter.
  bytes.fill(0, 0, 24);
  new DataView(bytes.buffer).setUint32(0, tag);
  return bytes;
};

const section = (epoch: number, dimension: number, tags: readonly number[]): EpochSection => ({
  epoch,
  engineId: `engine/${dimension}`,
  dimension,
  checkRecord: record(dimension, 0xffff_ffff, epoch),
  records: tags.map((tag) => record(dimension, tag, tag & 255)),
});

function open(input: PackInput): PackWriter {
  return createPackWriter({ ...input, epochs: input.epochs.map((e) => ({ ...e, recordCount: e.records.length })) });
}

function write(input: PackInput, writer = open(input)) {
  for (const epoch of input.epochs) {
    const sorted = [...epoch.records].sort((a, b) => Buffer.compare(a, b));
    for (const one of sorted) writer.add(one);
  }
  return writer.finish();
}

const tags = fc.uniqueArray(fc.integer({ min: 0, max: 2 ** 32 - 1 }), { maxLength: 40 });
const packs = fc.record({
  listId: fc.constantFrom('lst_a', 'lst_b'),
  listVersion: fc.maxSafeNat(),
  epochs: fc
    .array(fc.tuple(fc.constantFrom(1, 4, 128), tags), { maxLength: 4 })
    .map((epochs) => epochs.map(([dimension, of], i) => section(epochs.length - i, dimension, of))),
});

describe('pack writer', () => {
  it('writes what encodePack writes and hashes what packStateHash hashes', () => {
    fc.assert(
      fc.property(packs, (input) => {
        const written = write(input);
        expect(written.bytes).toEqual(encodePack(input));
        expect(written.stateHash).toEqual(packStateHash(input));
      }),
    );
  });

  it('may hash with the engine’s own SHA-256', () => {
    const input: PackInput = { listId: 'lst_a', listVersion: 7, epochs: [section(2, 4, [1, 2, 2 ** 31])] };
    const writer = createPackWriter(
      { ...input, epochs: input.epochs.map((e) => ({ ...e, recordCount: e.records.length })) },
      () => createHash('sha256'),
    );
    expect(Buffer.from(write(input, writer).stateHash)).toEqual(Buffer.from(packStateHash(input)));
  });

  const one: PackInput = { listId: 'lst_a', listVersion: 1, epochs: [section(1, 4, [1, 2])] };
  const [first, second, third] = [1, 2, 3].map((tag) => record(4, tag, tag)) as [Uint8Array, Uint8Array, Uint8Array];
  it.each([
    ['a record twice', [first, first]],
    ['records out of order', [second, first]],
    ['a record of another size', [new Uint8Array(5)]],
    ['a deadline beyond 2^53', [first.slice().fill(0x20, 17, 18)]],
    ['too many records', [first, second, third]],
    ['too few records', [first]],
  ])('refuses %s', (_what, records) => {
    const writer = open(one);
    expect(() => {
      for (const bytes of records) writer.add(bytes);
      writer.finish();
    }).toThrow(expect.objectContaining({ code: 'invalid-argument' }));
  });

  it('refuses epochs that are not newest first', () => {
    const epochs = [section(1, 4, []), section(2, 4, [])];
    expect(() => open({ listId: 'lst_a', listVersion: 1, epochs })).toThrow(
      expect.objectContaining({ code: 'invalid-argument' }),
    );
  });
});
