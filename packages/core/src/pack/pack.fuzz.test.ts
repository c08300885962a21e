import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FaceError } from '../errors.ts';
import { encodeDelta, encodeEnvelope, encodePack, parseDelta, parseEnvelope, parsePack, recordSize } from './index.ts';

// SVC_TEST_FUZZ_RUNS sets more. A failure prints the seed.
const numRuns = Number(process.env.SVC_TEST_FUZZ_RUNS ?? 3000);

/** Like toEqual, but fast. */
function same(a: Uint8Array | null, b: Uint8Array): void {
  expect(a !== null && Buffer.compare(a, b) === 0).toBe(true);
}

function refusesWith(code: string, parse: () => unknown): void {
  try {
    parse();
  } catch (error) {
    if (FaceError.is(error) && error.code === code) return;
    throw error;
  }
}

const record = (tag: number): Uint8Array => new Uint8Array(recordSize(1)).fill(tag).fill(0, 16, 24);
const pack = encodePack({
  listId: 'lst_1',
  listVersion: 3,
  epochs: [2, 1].map((epoch) => ({
    epoch,
    engineId: 'e',
    dimension: 1,
    checkRecord: record(0),
    records: [1, 2, 3].map(record),
  })),
});
const delta = encodeDelta({
  listId: 'lst_1',
  fromVersion: 2,
  toVersion: 3,
  epochs: [2, 1].map((epoch) => ({
    epoch,
    engineId: 'e',
    dimension: 1,
    checkRecord: record(0),
    recordCount: 3,
    upserts: [1, 3].map(record),
    removals: [2, 4].map((tag) => record(tag).slice(0, 16).fill(tag)),
  })),
});
const envelope = encodeEnvelope({
  payloadKind: 1,
  manifest: Uint8Array.of(123, 125),
  keyId: 'k',
  signature: new Uint8Array(64),
  payload: pack,
});

/** Cuts, repeats and overwrites bytes. */
function mutated(bytes: Uint8Array) {
  const edit = fc.record({ at: fc.nat(bytes.length - 1), value: fc.nat(255) });
  return fc
    .record({
      edits: fc.array(edit, { maxLength: 6 }),
      from: fc.nat(8),
      cut: fc.nat(bytes.length),
      tail: fc.uint8Array({ maxLength: 40 }),
      keepWhole: fc.boolean(),
    })
    .map(({ edits, from, cut, tail, keepWhole }) => {
      const changed = bytes.slice();
      for (const { at, value } of edits) changed[at] = value;
      return keepWhole ? changed : new Uint8Array([...changed.subarray(from % 3 === 0 ? 0 : from, cut), ...tail]);
    });
}

/** `bytes` cut into pieces of `size`. */
const pieces = (bytes: Uint8Array, size: number) =>
  Array.from({ length: bytes.length / size }, (_, i) => bytes.subarray(i * size, (i + 1) * size));

/** Accepted bytes can be written again as the same bytes. */
const again: Record<string, (bytes: Uint8Array) => void> = {
  parsePack(bytes) {
    const parsed = parsePack(bytes);
    for (const epoch of parsed.epochs) {
      for (const one of epoch.records()) same(epoch.find(one.subarray(0, 16)), one);
    }
    same(encodePack({ ...parsed, epochs: parsed.epochs.map((e) => ({ ...e, records: [...e.records()] })) }), bytes);
    expect(parsed.stateHash()).toHaveLength(32);
  },
  parseDelta(bytes) {
    const parsed = parseDelta(bytes);
    const epochs = parsed.epochs.map((epoch) => ({
      ...epoch,
      upserts: pieces(epoch.upserts, recordSize(epoch.dimension)),
      removals: pieces(epoch.removals, 16),
    }));
    same(encodeDelta({ ...parsed, epochs }), bytes);
  },
  parseEnvelope: (bytes) => same(encodeEnvelope(parseEnvelope(bytes)), bytes),
};

describe.each([
  ['parsePack', 'pack-invalid', pack],
  ['parseDelta', 'delta-invalid', delta],
  ['parseEnvelope', 'envelope-invalid', envelope],
] as const)('%s', (name, code, valid) => {
  const inputs = fc.oneof(
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 300 }) },
    {
      weight: 1,
      arbitrary: fc.uint8Array({ maxLength: 60 }).map((tail) => new Uint8Array([...valid.subarray(0, 8), ...tail])),
    },
    { weight: 4, arbitrary: mutated(valid) },
  );

  it('reads any bytes or refuses them with its code, and touches nothing', () => {
    let read = 0;
    fc.assert(
      fc.property(inputs, (bytes) => {
        const copy = bytes.slice();
        refusesWith(code, () => {
          again[name]?.(bytes);
          read++;
        });
        same(bytes, copy);
      }),
      { numRuns },
    );
    // Some inputs must pass the checks, or the fuzz tests nothing.
    expect(read).toBeGreaterThan(numRuns / 100);
  });
});
