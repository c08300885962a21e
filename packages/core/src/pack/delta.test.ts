import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  applyDelta,
  type DeltaInput,
  encodeDelta,
  encodePack,
  indexPack,
  memorySource,
  packParts,
  parseDelta,
  parsePack,
  readPackContent,
  recordSize,
} from './index.ts';

const dimension = 1;
const size = recordSize(dimension);
const tagOf = (value: number): Uint8Array => new Uint8Array(16).fill(value);
/** The record of a tag; another `salt` gives another face of the same person. */
function recordOf(tag: number, salt = 0): Uint8Array {
  const record = new Uint8Array(size).fill(salt);
  record.set(tagOf(tag));
  return record.fill(0, 16, 24);
}
const epochOf = (epoch: number, checkSalt = 0) => ({
  epoch,
  engineId: `e/${epoch}`,
  dimension,
  checkRecord: recordOf(0, checkSalt),
});
const packOf = (listVersion: number, epochs: ReadonlyMap<number, ReadonlyMap<number, number>>) =>
  encodePack({
    listId: 'lst_1',
    listVersion,
    epochs: [...epochs]
      .sort(([a], [b]) => b - a)
      .map(([epoch, held]) => ({
        ...epochOf(epoch),
        records: [...held].map(([tag, salt]) => recordOf(tag, salt)),
      })),
  });

async function applied(base: Uint8Array, delta: Uint8Array): Promise<Uint8Array> {
  const content = applyDelta(await readPackContent(memorySource(base)), parseDelta(delta));
  await indexPack(content, { stateHash: true });
  const chunks: Uint8Array[] = [];
  for await (const part of packParts(content)) chunks.push(part);
  return Uint8Array.from(Buffer.concat(chunks));
}

const held = fc
  .uniqueArray(fc.tuple(fc.integer({ min: 1, max: 255 }), fc.nat(3)), { selector: ([tag]) => tag, maxLength: 60 })
  .map((entries) => new Map(entries));
const state = fc
  .uniqueArray(fc.tuple(fc.integer({ min: 1, max: 4 }), held), { selector: ([epoch]) => epoch, maxLength: 3 })
  .map((entries) => new Map(entries));

function difference(
  before: ReadonlyMap<number, ReadonlyMap<number, number>>,
  after: ReadonlyMap<number, ReadonlyMap<number, number>>,
  neverHeld: readonly number[],
): DeltaInput {
  const epochs = [...after]
    .sort(([a], [b]) => b - a)
    .map(([epoch, now]) => {
      const then = before.get(epoch) ?? new Map<number, number>();
      const gone = new Set([...then.keys(), ...neverHeld]);
      return {
        ...epochOf(epoch),
        recordCount: now.size,
        upserts: [...now].filter(([tag, salt]) => then.get(tag) !== salt).map(([tag, salt]) => recordOf(tag, salt)),
        removals: [...gone].filter((tag) => !now.has(tag)).map(tagOf),
      };
    });
  return { listId: 'lst_1', fromVersion: 3, toVersion: 8, epochs };
}

describe('a delta', () => {
  it('makes of any pack any other, byte for byte', async () => {
    await fc.assert(
      fc.asyncProperty(
        state,
        state,
        fc.array(fc.integer({ min: 1, max: 255 }), { maxLength: 5 }),
        async (before, after, neverHeld) => {
          const delta = encodeDelta(difference(before, after, neverHeld));
          expect(await applied(packOf(3, before), delta)).toEqual(packOf(8, after));
        },
      ),
      { numRuns: 200 },
    );
  });

  it('makes the same of a pack that is larger than what is read at once', async () => {
    const wide = (count: number, salt: (i: number) => number) =>
      Array.from({ length: count }, (_, i) => {
        const record = recordOf(0, salt(i));
        new DataView(record.buffer).setUint32(0, i * 50_000);
        return record;
      });
    const section = { ...epochOf(1) };
    const before = wide(10_000, () => 0);
    const after = wide(10_000, (i) => (i % 997 === 0 ? 1 : 0)).filter((_, i) => i % 1_501 !== 0);
    const input = {
      listId: 'lst_1',
      fromVersion: 1,
      toVersion: 2,
      epochs: [
        {
          ...section,
          recordCount: after.length,
          upserts: after.filter((record) => record[30] === 1),
          removals: before.filter((_, i) => i % 1_501 === 0).map((record) => record.subarray(0, 16)),
        },
      ],
    };
    const pack = (listVersion: number, records: Uint8Array[]) =>
      encodePack({ listId: 'lst_1', listVersion, epochs: [{ ...section, records }] });
    const result = await applied(pack(1, before), encodeDelta(input));
    expect(Buffer.compare(result, pack(2, after))).toBe(0);
  });

  const before = new Map([[1, new Map([[5, 0]])]]);
  const honest: DeltaInput = {
    listId: 'lst_1',
    fromVersion: 3,
    toVersion: 4,
    epochs: [{ ...epochOf(1), recordCount: 2, upserts: [recordOf(7)], removals: [] }],
  };
  const epochWith = (change: object): DeltaInput => ({
    ...honest,
    epochs: honest.epochs.map((epoch) => ({ ...epoch, ...change })),
  });

  it.each<[string, DeltaInput, string]>([
    ['of another list', { ...honest, listId: 'lst_2' }, 'delta-invalid'],
    ['of another version', { ...honest, fromVersion: 2 }, 'delta-invalid'],
    ['of another engine', epochWith({ engineId: 'other' }), 'delta-invalid'],
    ['with another check record', epochWith({ checkRecord: recordOf(0, 9) }), 'delta-invalid'],
    ['that announces a record too many', epochWith({ recordCount: 3 }), 'pack-invalid'],
    ['that announces a record too few', epochWith({ recordCount: 1 }), 'pack-invalid'],
    ['that announces hundreds too many', epochWith({ recordCount: 300 }), 'pack-invalid'],
  ])('%s is not applied', async (_what, input, code) => {
    await expect(applied(packOf(3, before), encodeDelta(input))).rejects.toMatchObject({ code });
  });

  it.each<[string, () => Uint8Array]>([
    ['versions that stand still', () => encodeDelta({ ...honest, fromVersion: 4 })],
    ['a tag put in and removed', () => encodeDelta(epochWith({ removals: [tagOf(7)] }))],
    ['a tag put in twice', () => encodeDelta(epochWith({ upserts: [recordOf(7), recordOf(7, 1)] }))],
    ['a tag removed twice', () => encodeDelta(epochWith({ removals: [tagOf(9), tagOf(9)] }))],
    ['a tag that is none', () => encodeDelta(epochWith({ removals: [new Uint8Array(15)] }))],
    ['more upserts than records', () => encodeDelta(epochWith({ recordCount: 0 }))],
    ['epochs that rise', () => encodeDelta({ ...honest, epochs: [...honest.epochs, ...honest.epochs] })],
    ['a record of another length', () => encodeDelta(epochWith({ upserts: [recordOf(7).slice(1)] }))],
  ])('with %s is not written', (_what, write) => {
    expect(write).toThrowError(expect.objectContaining({ code: 'invalid-argument' }));
  });

  /** The bytes, changed, of a delta with the upserts 7 and 8 and the removals 1 and 9. */
  const bent = (change: (bytes: Uint8Array) => void): Uint8Array => {
    const bytes = encodeDelta(
      epochWith({ recordCount: 3, upserts: [recordOf(7), recordOf(8)], removals: [tagOf(1), tagOf(9)] }),
    );
    change(bytes);
    return bytes;
  };
  const removalsAt = (bytes: Uint8Array) => bytes.length - 32;

  // What else is refused, pack.fuzz.test.ts finds.
  it('with a tag put in and removed is not read', () => {
    const bytes = bent((bytes) => bytes.fill(8, removalsAt(bytes), removalsAt(bytes) + 16));
    expect(() => parseDelta(bytes)).toThrowError(expect.objectContaining({ code: 'delta-invalid' }));
  });

  it('gives a pack that parsePack accepts', async () => {
    const pack = parsePack(await applied(packOf(3, before), encodeDelta(honest)));
    expect([pack.listVersion, pack.recordCount]).toEqual([4, 2]);
  });
});
