import type { KeyStore, ListKeys } from '../storage/key-store.ts';
import type { PackStore } from '../storage/pack-store.ts';

export interface StorePair {
  readonly keyStore: KeyStore;
  readonly packStore: PackStore;
}

/** Called in place of each operation of the stores, and of `keepAs` of list keys; `run` carries it out. */
type Around = (name: string, run: () => Promise<unknown>) => Promise<unknown>;

/** The same stores, with `around` about each operation. */
export function intercepted({ keyStore, packStore }: StorePair, around: Around): StorePair {
  const watched = (keys: ListKeys): ListKeys => ({
    ...keys,
    keepAs: async (generation) => void (await around('keepAs', () => keys.keepAs(generation))),
  });
  const wrap = <T extends object>(store: T): T =>
    new Proxy(store, {
      get: (target, name, receiver) => {
        const operation: unknown = Reflect.get(target, name, receiver);
        if (typeof operation !== 'function') return operation;
        return async (...args: unknown[]) => {
          const result = await around(String(name), async () => operation.apply(target, args) as unknown);
          const givesKeys = name === 'listKeys' || name === 'openListKeys';
          return givesKeys && result !== null ? watched(result as ListKeys) : result;
        };
      },
    });
  return { keyStore: wrap(keyStore), packStore: wrap(packStore) };
}

/** The same stores, in which the operations that `broken` names fail. */
export const failing = (stores: StorePair, broken: () => readonly string[]): StorePair =>
  intercepted(stores, (name, run) => (broken().includes(name) ? Promise.reject(new Error('EIO')) : run()));

const WRITING = /^(write|delete|keepAs)/;

/**
 * The same stores with a power cut at the `at`-th writing operation (from 0), before or right after its effect. Later
 * operations fail too, until the stores are opened again.
 */
export function withPowerCut(
  stores: StorePair,
  at: number,
  when: 'before' | 'after',
): StorePair & { readonly writes: () => number } {
  let writes = 0;
  let off = false;
  const cut = intercepted(stores, async (name, run) => {
    const isCut = !off && WRITING.test(name) && writes === at;
    if (isCut && when === 'before') off = true;
    if (!off && WRITING.test(name)) writes += 1;
    if (off) throw new Error('no power');
    const result = await run();
    if (isCut) off = true;
    if (off) throw new Error('no power');
    return result;
  });
  return { ...cut, writes: () => writes + (off && when === 'before' ? 1 : 0) };
}

/** A whole pack; null if there is none. */
export async function readWhole(packStore: PackStore, generation: number): Promise<Uint8Array | null> {
  const reader = await packStore.openPack(generation);
  if (reader === null) return null;
  const bytes = await reader.read(0, reader.byteLength);
  await reader.close();
  return bytes;
}

/** A pack in one piece, as a store accepts it. */
export async function* whole(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/** Identifies list keys and check-in secret without revealing them, by a value derived from each. Wipes them. */
async function fingerprintOf(keys: ListKeys | null): Promise<string> {
  const none = new Uint8Array();
  const derived = (keys?.epochs ?? []).map(async (epoch) => {
    const bytes = (await keys?.keyOf(epoch)?.(none, none, 8)) ?? none;
    return `${epoch} ${Buffer.from(bytes).toString('hex')}`;
  });
  const all = await Promise.all(derived);
  const signed = (await keys?.signCheckIn(none)) ?? null;
  keys?.wipe();
  return [...all, ...(signed === null ? [] : [Buffer.from(signed).toString('hex')])].join();
}

/** Everything in the stores, to compare before and after. */
export async function contentsOf({ keyStore, packStore }: StorePair) {
  const listKeys: Record<string, string> = {};
  for (const generation of [...(await keyStore.listKeyGenerations())].sort((a, b) => a - b)) {
    listKeys[generation] = await fingerprintOf(await keyStore.listKeys(generation));
  }
  const packs: Record<string, string> = {};
  for (const generation of [...(await packStore.listPacks())].sort((a, b) => a - b)) {
    packs[generation] = Buffer.from((await readWhole(packStore, generation)) ?? []).toString('hex');
  }
  const pages: Record<string, string> = {};
  for (const page of [...(await packStore.listPages())].sort((a, b) => a - b)) {
    pages[page] = Buffer.from((await packStore.readPage(page)) ?? []).toString('hex');
  }
  const state = await packStore.readState();
  return { listKeys, packs, pages, state: state === null ? null : Buffer.from(state).toString('latin1') };
}
