import { hkdfSha256 } from '@svc/core/pack';
import type { KeyStore, ListKeys } from '../storage/key-store.ts';
import type { PackStore } from '../storage/pack-store.ts';
import { readWhole } from './contracts.ts';

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

/** Gives the stores' log of admissions a known key, so that it is known who is on which page. @returns the stores */
export function withKnownAdmissionKey<Stores extends StorePair>(stores: Stores): Stores {
  const { keyStore } = stores;
  const derive = keyStore.deriveFromAdmissionKey;
  keyStore.deriveFromAdmissionKey = async (...what) => {
    await derive(...what);
    return hkdfSha256(new Uint8Array(32).fill(1), ...what);
  };
  return stores;
}

const WRITING = /^(write|delete|keepAs)/;

/**
 * Runs `deed` with a power cut at each writing operation in turn, before its effect and after, and once without. Later
 * operations fail too, until the stores are opened again.
 * @param deed uses `cut` once, on stores of its own @returns the number of cuts
 */
export async function atEveryWrite(
  deed: (cut: (stores: StorePair) => StorePair, where: string) => Promise<void>,
): Promise<number> {
  let cuts = 0;
  for (const when of ['before', 'after'] as const) {
    for (let at = 0, isOff = true; isOff; at += 1) {
      isOff = false;
      let writes = 0;
      const power = () => {
        if (isOff) throw new Error('no power');
      };
      const cut = (stores: StorePair) =>
        intercepted(stores, async (name, run) => {
          const isCut = !isOff && WRITING.test(name) && writes++ === at;
          isOff ||= isCut && when === 'before';
          power();
          const result = await run();
          isOff ||= isCut;
          power();
          return result;
        });
      await deed(cut, `${when} write ${at}`);
      if (isOff) cuts += 1;
    }
  }
  return cuts;
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
