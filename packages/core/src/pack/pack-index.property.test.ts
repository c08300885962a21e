import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  encodePack,
  indexPack,
  memorySource,
  type PackSource,
  packParts,
  parsePack,
  readPackContent,
  recordSize,
  withoutDue,
} from './index.ts';

const numRuns = 60;

const recordOf = (tag: Uint8Array, deadline: number, dimension: number): Uint8Array => {
  const record = new Uint8Array(recordSize(dimension)).fill(tag[0] ?? 0);
  record.set(tag);
  record.fill(0, 16, 24);
  record[23] = deadline;
  return record;
};

const section = fc
  .record({
    dimension: fc.integer({ min: 1, max: 3 }),
    tags: fc.uniqueArray(fc.uint8Array({ minLength: 16, maxLength: 16 }), {
      selector: (tag) => tag.join(),
      maxLength: 200,
    }),
  })
  .map(({ dimension, tags }) => ({
    engineId: `e/${dimension}`,
    dimension,
    checkRecord: recordOf(new Uint8Array(16), 0, dimension),
    records: tags.map((tag) => recordOf(tag, tag[15] ?? 0, dimension)),
  }));
const input = fc.array(section, { maxLength: 3 }).map((sections) => ({
  listId: 'lst_1',
  listVersion: 4,
  epochs: sections.map((epoch, i) => ({ ...epoch, epoch: 9 - i })),
}));

/** Counts the reads and their sizes. */
function watched(bytes: Uint8Array): PackSource & { readonly reads: number[] } {
  const reads: number[] = [];
  const source = memorySource(bytes);
  return {
    byteLength: bytes.length,
    reads,
    read: (offset, length) => {
      reads.push(length);
      return source.read(offset, length);
    },
  };
}

async function joined(parts: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const part of parts) chunks.push(part.slice());
  return Uint8Array.from(Buffer.concat(chunks));
}

describe('a pack that is read in ranges', () => {
  it('finds what the whole pack finds, with one read a lookup, and has its state hash', async () => {
    await fc.assert(
      fc.asyncProperty(input, fc.uint8Array({ minLength: 16, maxLength: 16 }), async (pack, absent) => {
        const bytes = encodePack(pack);
        const whole = parsePack(bytes);
        const source = watched(bytes);
        const content = await readPackContent(source);
        const index = await indexPack(content, { stateHash: true, sha256: () => createHash('sha256') });
        expect(index).toMatchObject({ byteLength: bytes.length, recordCount: whole.recordCount, listVersion: 4 });
        expect(Buffer.from(index.stateHash ?? [])).toEqual(Buffer.from(whole.stateHash()));
        expect(await joined(packParts(content))).toEqual(bytes);
        for (const { epoch, records, dimension } of pack.epochs) {
          for (const tag of [...records.slice(0, 20).map((record) => record.subarray(0, 16)), absent]) {
            source.reads.length = 0;
            const found = await index.find(epoch, tag, source);
            expect(found).toEqual(
              whole.epochs
                .find((e) => e.epoch === epoch)
                ?.find(tag)
                ?.slice() ?? null,
            );
            expect(source.reads.length).toBeLessThanOrEqual(1);
            expect(source.reads[0] ?? 0).toBeLessThanOrEqual(16 * recordSize(dimension));
          }
        }
        expect(await index.find(77, absent, source)).toBeNull();
      }),
      { numRuns },
    );
  });

  it('without what is due is the pack of the others', async () => {
    await fc.assert(
      fc.asyncProperty(input, fc.nat(255), async (pack, nowMs) => {
        const content = await withoutDue(await readPackContent(memorySource(encodePack(pack))), nowMs);
        const left = pack.epochs.map((epoch) => ({
          ...epoch,
          records: epoch.records.filter((record) => (record[23] ?? 0) > nowMs),
        }));
        expect(await joined(packParts(content))).toEqual(encodePack({ ...pack, epochs: left }));
      }),
      { numRuns },
    );
  });

  it('with any byte of a record changed under the index is refused, and has another digest', async () => {
    const records = Array.from({ length: 100 }, (_, i) => recordOf(new Uint8Array(16).fill(i + 1), 9, 2));
    const epoch = { epoch: 1, engineId: 'e', dimension: 2, checkRecord: recordOf(new Uint8Array(16), 0, 2), records };
    const bytes = encodePack({ listId: 'lst_1', listVersion: 1, epochs: [epoch] });
    const indexOf = async (of: Uint8Array) => indexPack(await readPackContent(memorySource(of)), { stateHash: false });
    const index = await indexOf(bytes);
    const start = bytes.length - records.length * recordSize(2);
    for (const [i, record] of records.entries()) {
      const changed = bytes.slice();
      const at = start + i * recordSize(2) + recordSize(2) - 1;
      changed[at] = (changed[at] ?? 0) ^ 1;
      await expect(index.find(1, record.subarray(0, 16), memorySource(changed))).rejects.toMatchObject({
        code: 'pack-invalid',
      });
      expect((await indexOf(changed)).digest).not.toEqual(index.digest);
    }
    expect((await indexOf(bytes.slice())).digest).toEqual(index.digest);
  });

  it.each([
    ['cut short', (bytes: Uint8Array) => bytes.slice(0, -1)],
    ['with a byte too many', (bytes: Uint8Array) => Uint8Array.from([...bytes, 0])],
    [
      'with records swapped',
      (bytes: Uint8Array) => {
        const size = recordSize(1);
        const [a, b] = [bytes.slice(-2 * size, -size), bytes.slice(-size)];
        return Uint8Array.from([...bytes.slice(0, -2 * size), ...b, ...a]);
      },
    ],
    ['that is none', (bytes: Uint8Array) => bytes.slice().fill(7)],
    ['of no bytes', () => new Uint8Array()],
  ])('%s is refused', async (_what, change) => {
    const records = [1, 2, 3].map((tag) => recordOf(new Uint8Array(16).fill(tag), 1, 1));
    const checkRecord = recordOf(new Uint8Array(16), 0, 1);
    const epochs = [{ epoch: 1, engineId: 'e', dimension: 1, checkRecord, records }];
    const source = memorySource(change(encodePack({ listId: 'l', listVersion: 1, epochs })));
    const read = async () => indexPack(await readPackContent(source), { stateHash: false });
    await expect(read()).rejects.toMatchObject({ code: 'pack-invalid' });
  });
});
