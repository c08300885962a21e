import { sameBytes } from '../platform/bytes.ts';
import type { PackStore } from '../storage/pack-store.ts';
import { type ContractCase, type Durable, demand, demandRejection } from './contract.ts';

const big = Uint8Array.from({ length: 300_000 }, (_, i) => (i * 7) & 255);

async function* inParts(bytes: Uint8Array, size = bytes.length): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function* thenBroken(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
  throw new Error('the parts broke off');
}

/** The whole pack; null if there is none. */
async function contentOf(store: PackStore, generation: number): Promise<Uint8Array | null> {
  const reader = await store.openPack(generation);
  if (reader === null) return null;
  try {
    return await reader.read(0, reader.byteLength);
  } finally {
    await reader.close();
  }
}

/** Contract of every pack store. Adapters test crashes themselves, since only they know the possible points. */
export const packStoreContract: readonly ContractCase<Durable<PackStore>>[] = [
  {
    name: 'is empty at first',
    check: async ({ port }) => {
      demand((await port.readState()) === null, 'no state');
      demand((await port.listPacks()).length === 0, 'no packs');
      demand((await port.openPack(1)) === null, 'null for none');
    },
  },
  {
    name: 'keeps the last state written',
    check: async ({ port, reopen }) => {
      const state = Uint8Array.of(1, 2, 3);
      await port.writeState(state);
      state.fill(0);
      demand(sameBytes(await port.readState(), Uint8Array.of(1, 2, 3)), 'a copy was kept');
      demand((await port.readState())?.constructor === Uint8Array, 'a plain Uint8Array, whose slices are copies');
      await port.writeState(Uint8Array.of());
      await port.writeState(big);
      const subject = reopen === null ? port : await reopen();
      demand(sameBytes(await subject.readState(), big), 'the last one');
    },
  },
  {
    name: 'keeps packs by generation',
    check: async ({ port, reopen }) => {
      await port.writePack(1, inParts(big, 70_001));
      await port.writePack(12, inParts(Uint8Array.of(12)));
      await port.writePack(12, inParts(Uint8Array.of(13)));
      await port.writePack(2 ** 40, inParts(Uint8Array.of()));
      const subject = reopen === null ? port : await reopen();
      demand(sameBytes(await contentOf(subject, 1), big), 'the first');
      demand(sameBytes(await contentOf(subject, 12), Uint8Array.of(13)), 'the replaced one');
      demand((await contentOf(subject, 2 ** 40))?.length === 0, 'an empty one, of a large number');
      const generations = [...(await subject.listPacks())].sort((a, b) => a - b);
      demand(generations.join() === `1,12,${2 ** 40}`, 'all generations');
    },
  },
  {
    name: 'reads ranges, several at once, and no more than there is',
    check: async ({ port }) => {
      await port.writePack(3, inParts(big, 65_536));
      const reader = await port.openPack(3);
      demand(reader !== null, 'it opens');
      demand(reader.byteLength === big.length, 'its length');
      const ranges = [
        [0, 1],
        [65_530, 12],
        [131_071, 131_073],
        [big.length - 1, 1],
        [big.length, 0],
        [5, 0],
      ] as const;
      const read = await Promise.all(ranges.map(([offset, length]) => reader.read(offset, length)));
      ranges.forEach(([offset, length], i) => {
        demand(sameBytes(read[i] ?? null, big.subarray(offset, offset + length)), `${length} bytes from ${offset}`);
      });
      demand(read[0]?.constructor === Uint8Array, 'a plain Uint8Array, whose slices are copies');
      await demandRejection(reader.read(big.length - 1, 2), 'more than there is');
      await demandRejection(reader.read(big.length + 1, 1), 'from behind the end');
      await reader.close();
      await reader.close();
      await demandRejection(reader.read(0, 1), 'after it was closed');
    },
  },
  {
    name: 'gives packs away as copies',
    check: async ({ port }) => {
      const pack = Uint8Array.of(1);
      await port.writePack(1, inParts(pack));
      pack[0] = 9;
      const reader = await port.openPack(1);
      (await reader?.read(0, 1))?.fill(9);
      demand(sameBytes((await reader?.read(0, 1)) ?? null, Uint8Array.of(1)), 'what was written');
      await reader?.close();
    },
  },
  {
    name: 'takes parts whose memory is used again',
    check: async ({ port }) => {
      const shared = new Uint8Array(1_000);
      const parts = async function* () {
        for (let i = 1; i <= 5; i += 1) yield shared.fill(i);
      };
      await port.writePack(1, parts());
      const content = await contentOf(port, 1);
      demand(content?.length === 5_000, 'all parts');
      demand(content?.every((byte, i) => byte === Math.floor(i / 1_000) + 1) === true, 'each as it was');
    },
  },
  {
    name: 'leaves nothing of parts that break off, and what lay there before as it was',
    check: async ({ port, reopen }) => {
      await port.writePack(1, inParts(Uint8Array.of(1)));
      await demandRejection(port.writePack(1, thenBroken(big)), 'a replacement that breaks off');
      await demandRejection(port.writePack(2, thenBroken(big)), 'a new one that breaks off');
      const subject = reopen === null ? port : await reopen();
      demand(sameBytes(await contentOf(subject, 1), Uint8Array.of(1)), 'the old one');
      demand((await subject.openPack(2)) === null, 'no new one');
      demand((await subject.listPacks()).join() === '1', 'nor its generation');
    },
  },
  {
    name: 'forgets deleted packs',
    check: async ({ port, reopen }) => {
      await port.writePack(1, inParts(big));
      await port.writePack(2, inParts(big));
      await port.deletePack(1);
      await port.deletePack(1);
      const subject = reopen === null ? port : await reopen();
      demand((await subject.openPack(1)) === null, 'gone');
      demand((await subject.listPacks()).join() === '2', 'the other stays');
    },
  },
  {
    name: 'keeps state and packs apart, and writes at once do not mix',
    check: async ({ port }) => {
      await Promise.all([
        port.writeState(Uint8Array.of(1)),
        port.writePack(1, inParts(Uint8Array.of(11))),
        port.writePack(2, inParts(Uint8Array.of(22))),
      ]);
      demand(sameBytes(await port.readState(), Uint8Array.of(1)), 'state');
      demand(sameBytes(await contentOf(port, 1), Uint8Array.of(11)), 'pack 1');
      demand(sameBytes(await contentOf(port, 2), Uint8Array.of(22)), 'pack 2');
    },
  },
  {
    name: 'keeps pages by number, apart from packs, and forgets deleted ones',
    check: async ({ port, reopen }) => {
      demand((await port.listPages()).length === 0 && (await port.readPage(1)) === null, 'none at first');
      const page = Uint8Array.of(1, 2);
      await port.writePage(1, page);
      page.fill(9);
      await port.writePage(12, big);
      await port.writePage(12, Uint8Array.of(13));
      await port.writePage(2, Uint8Array.of());
      await port.writePage(3, big);
      await port.deletePage(3);
      await port.deletePage(3);
      await port.writePack(1, inParts(Uint8Array.of(11)));
      const subject = reopen === null ? port : await reopen();
      demand(sameBytes(await subject.readPage(1), Uint8Array.of(1, 2)), 'a copy was kept');
      demand((await subject.readPage(1))?.constructor === Uint8Array, 'a plain Uint8Array, whose slices are copies');
      demand(sameBytes(await subject.readPage(12), Uint8Array.of(13)), 'the replaced one');
      demand((await subject.readPage(2))?.length === 0, 'an empty one');
      demand((await subject.readPage(3)) === null, 'null for a deleted one');
      demand([...(await subject.listPages())].sort((a, b) => a - b).join() === '1,2,12', 'all pages');
      demand((await subject.listPacks()).join() === '1', 'no page among the packs');
      demand(sameBytes(await contentOf(subject, 1), Uint8Array.of(11)), 'nor the other way round');
    },
  },
];
