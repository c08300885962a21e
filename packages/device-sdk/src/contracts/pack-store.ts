import type { PackStore } from '../ports/pack-store.ts';
import { type ContractCase, type Durable, demand, equalBytes } from './contract.ts';

const big = Uint8Array.from({ length: 300_000 }, (_, i) => (i * 7) & 255);

/** What every pack store must do. Crashes are the adapter's own tests: only it knows where they can strike. */
export const packStoreContract: readonly ContractCase<Durable<PackStore>>[] = [
  {
    name: 'is empty at first',
    check: async ({ port }) => {
      demand((await port.readState()) === null, 'no state');
      demand((await port.packGenerations()).length === 0, 'no packs');
      demand((await port.readPack(1)) === null, 'null for none');
    },
  },
  {
    name: 'keeps the last state written',
    check: async ({ port, reopen }) => {
      const state = Uint8Array.of(1, 2, 3);
      await port.writeState(state);
      state.fill(0);
      demand(equalBytes(await port.readState(), Uint8Array.of(1, 2, 3)), 'a copy was kept');
      demand((await port.readState())?.constructor === Uint8Array, 'a plain Uint8Array, whose slices are copies');
      await port.writeState(Uint8Array.of());
      await port.writeState(big);
      const subject = reopen === null ? port : await reopen();
      demand(equalBytes(await subject.readState(), big), 'the last one');
    },
  },
  {
    name: 'keeps packs by generation',
    check: async ({ port, reopen }) => {
      await port.putPack(1, big);
      await port.putPack(12, Uint8Array.of(12));
      await port.putPack(12, Uint8Array.of(13));
      await port.putPack(2 ** 40, Uint8Array.of());
      const subject = reopen === null ? port : await reopen();
      demand(equalBytes(await subject.readPack(1), big), 'the first');
      demand(equalBytes(await subject.readPack(12), Uint8Array.of(13)), 'the replaced one');
      demand((await subject.readPack(2 ** 40))?.length === 0, 'an empty one, of a large number');
      const generations = [...(await subject.packGenerations())].sort((a, b) => a - b);
      demand(generations.join() === `1,12,${2 ** 40}`, 'all generations');
    },
  },
  {
    name: 'gives packs away as copies',
    check: async ({ port }) => {
      const pack = Uint8Array.of(1);
      await port.putPack(1, pack);
      pack[0] = 9;
      (await port.readPack(1))?.fill(9);
      demand(equalBytes(await port.readPack(1), Uint8Array.of(1)), 'what was put');
    },
  },
  {
    name: 'forgets deleted packs',
    check: async ({ port, reopen }) => {
      await port.putPack(1, big);
      await port.putPack(2, big);
      await port.deletePack(1);
      await port.deletePack(1);
      const subject = reopen === null ? port : await reopen();
      demand((await subject.readPack(1)) === null, 'gone');
      demand((await subject.packGenerations()).join() === '2', 'the other stays');
    },
  },
  {
    name: 'keeps state and packs apart, and writes at once do not mix',
    check: async ({ port }) => {
      await Promise.all([
        port.writeState(Uint8Array.of(1)),
        port.putPack(1, Uint8Array.of(11)),
        port.putPack(2, Uint8Array.of(22)),
      ]);
      demand(equalBytes(await port.readState(), Uint8Array.of(1)), 'state');
      demand(equalBytes(await port.readPack(1), Uint8Array.of(11)), 'pack 1');
      demand(equalBytes(await port.readPack(2), Uint8Array.of(22)), 'pack 2');
    },
  },
];
