import type { KeyStore, ListKeys } from '../storage/key-store.ts';
import type { PackStore } from '../storage/pack-store.ts';

export interface StorePair {
  readonly keyStore: KeyStore;
  readonly packStore: PackStore;
}

/** Operations that change the device's stores. */
export const writingOperations = {
  keyStore: ['deleteListKeys', 'deleteDeviceKey', 'deleteAdmissionKey'],
  packStore: ['writeState', 'writePack', 'deletePack', 'writePage', 'deletePage'],
} as const;

export class PowerCut extends Error {}

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
  const write = async (operation: () => Promise<unknown>): Promise<unknown> => {
    if (off) throw new PowerCut();
    const cut = writes === at;
    writes += 1;
    if (cut && when === 'before') off = true;
    if (off) throw new PowerCut();
    const result = await operation();
    if (cut) off = true;
    if (off) throw new PowerCut();
    return result;
  };
  const watchedKeys = (keys: ListKeys): ListKeys => ({
    ...keys,
    keepAs: async (generation) => void (await write(() => keys.keepAs(generation))),
  });
  const wrap = <T extends object>(store: T, writing: readonly (keyof T)[]): T =>
    new Proxy(store, {
      get: (target, name, receiver) => {
        const operation: unknown = Reflect.get(target, name, receiver);
        if (typeof operation !== 'function') return operation;
        return async (...args: unknown[]) => {
          if (off) throw new PowerCut();
          if (writing.includes(name as keyof T)) return write(() => operation.apply(target, args));
          const result: unknown = await operation.apply(target, args);
          return (name === 'listKeys' || name === 'openListKeys') && result !== null
            ? watchedKeys(result as ListKeys)
            : result;
        };
      },
    });
  return {
    keyStore: wrap(stores.keyStore, writingOperations.keyStore),
    packStore: wrap(stores.packStore, writingOperations.packStore),
    writes: () => writes,
  };
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
