import type { ErasureMemory, RememberedErasure, SeenVersion } from '../../crypto/erasure-memory.ts';
import type { WrappedKey } from '../../crypto/key-encryption.ts';
import type { KeyStorage } from '../../crypto/key-storage.ts';
import type { KeyName, KeyStore, StoredKey } from '../../crypto/key-store.ts';
import { byText, keyOf } from './rows.ts';

const nameOf = ({ ownerId, epoch }: KeyName) => keyOf(ownerId, epoch);
const inOrder = (a: KeyName, b: KeyName) => byText(a.ownerId, b.ownerId) || a.epoch - b.epoch;

/** Owners whose keys were destroyed, with the time. */
type Shredded = Map<string, number>;

function createKeys(shredded: Shredded): KeyStore {
  const keys = new Map<string, StoredKey>();
  const keks = new Set<string>();
  const copy = (key: WrappedKey): WrappedKey => ({ kekId: key.kekId, bytes: Uint8Array.from(key.bytes) });
  return {
    add(name, key) {
      if (shredded.has(name.ownerId)) return Promise.resolve('shredded');
      if (keys.has(nameOf(name))) return Promise.resolve('taken');
      keys.set(nameOf(name), { name, key: copy(key) });
      return Promise.resolve('added');
    },
    get(name) {
      const stored = keys.get(nameOf(name));
      return Promise.resolve(stored === undefined ? null : copy(stored.key));
    },
    shred(ownerId, atMs) {
      if (!shredded.has(ownerId)) shredded.set(ownerId, atMs);
      for (const [name, stored] of keys) if (stored.name.ownerId === ownerId) keys.delete(name);
      return Promise.resolve();
    },
    replace(name, from, to) {
      const stored = keys.get(nameOf(name));
      const isSame = stored?.key.kekId === from.kekId && Buffer.compare(stored.key.bytes, from.bytes) === 0;
      if (isSame) keys.set(nameOf(name), { name, key: copy(to) });
      return Promise.resolve(isSame);
    },
    page(after, limit) {
      const sorted = [...keys.values()].sort((a, b) => inOrder(a.name, b.name));
      const behind = sorted.filter(({ name }) => after === null || inOrder(name, after) > 0);
      return Promise.resolve(behind.slice(0, limit).map(({ name, key }) => ({ name, key: copy(key) })));
    },
    protectOlder: () => Promise.resolve(0),
    countByKek() {
      const counts = new Map<string, number>();
      for (const { key } of keys.values()) counts.set(key.kekId, (counts.get(key.kekId) ?? 0) + 1);
      return Promise.resolve(counts);
    },
    rememberKek(kekId, _seenAtMs, known) {
      if (keks.size === 0 || known.some((id) => keks.has(id))) keks.add(kekId);
      return Promise.resolve([...keks]);
    },
  };
}

function createErasures(shredded: Shredded): ErasureMemory {
  let remembered: readonly RememberedErasure[] = [];
  const versions = new Map<string, SeenVersion>();
  let last = 0;
  let forgottenBefore: number | null = null;
  return {
    remember(erasures, atMs) {
      remembered = [...remembered, ...erasures.map((erasure, nth) => ({ seq: last + nth + 1, atMs, erasure }))];
      last += erasures.length;
      return Promise.resolve();
    },
    last: () => Promise.resolve(last),
    after: (seq, limit) => Promise.resolve(remembered.filter((each) => each.seq > seq).slice(0, limit)),
    noteVersion(seen) {
      if ((versions.get(seen.listId)?.version ?? -1) < seen.version) versions.set(seen.listId, seen);
      return Promise.resolve();
    },
    seenVersions(afterListId, limit) {
      const sorted = [...versions.values()].sort((a, b) => byText(a.listId, b.listId));
      return Promise.resolve(sorted.filter(({ listId }) => listId > afterListId).slice(0, limit));
    },
    forget(beforeMs, through) {
      const kept = remembered.filter(({ atMs, seq }) => atMs >= beforeMs || seq > through);
      if (kept.length < remembered.length) forgottenBefore = beforeMs;
      remembered = kept;
      for (const [ownerId, atMs] of shredded) if (atMs < beforeMs) shredded.delete(ownerId);
      return Promise.resolve();
    },
    continueAfter(seq, forgottenBeforeMs) {
      last = Math.max(last, seq);
      if (forgottenBeforeMs !== null) forgottenBefore = forgottenBeforeMs;
      return Promise.resolve();
    },
    forgottenBefore: () => Promise.resolve(forgottenBefore),
  };
}

/** A key store in memory. */
export function createMemoryKeyStorage(newId: string): KeyStorage {
  const shredded: Shredded = new Map();
  let storeId = newId;
  let signing: string | null = null;
  return {
    get storeId() {
      return storeId;
    },
    keys: createKeys(shredded),
    erasures: createErasures(shredded),
    leavesNoTrace: true,
    signing: {
      read: () => Promise.resolve(signing),
      replace(from, to) {
        if (signing !== from) return Promise.resolve(false);
        signing = to;
        return Promise.resolve(true);
      },
    },
    adopt(adopted) {
      storeId = adopted;
      return Promise.resolve();
    },
    answers: () => Promise.resolve(true),
    close: () => Promise.resolve(),
  };
}
