import type { RememberedErasure } from '../../crypto/erasure-memory.ts';
import type { KeyStorage } from '../../crypto/key-storage.ts';
import { type KeyName, KeyStoreError } from '../../crypto/key-store.ts';
import type { Database } from '../../db/connection.ts';
import type { Actor, AuditLog } from '../audit/service.ts';
import type { RestoreStore } from './store.ts';

/** Result of a move. */
export interface MovedKeys {
  readonly keys: number;
  readonly erasures: number;
  /** Whether the old place's files and log were cleaned of the keys; otherwise its operator has to do it. */
  readonly scrubbed: boolean;
}

const BATCH = 500;

async function copyKeys({ keys: from }: KeyStorage, { keys: to }: KeyStorage, nowMs: number): Promise<number> {
  let copied = 0;
  for (let after: KeyName | null = null; ; ) {
    const page = await from.page(after, BATCH);
    for (const { name, key } of page) {
      if ((await to.add(name, key, nowMs)) === 'shredded')
        throw new KeyStoreError('the other store has shredded a key');
    }
    copied += page.length;
    after = page.at(-1)?.name ?? null;
    if (after === null) return copied;
  }
}

/** Numbers are kept, since the database's backups refer to them. */
async function copyErasures({ erasures: from }: KeyStorage, { erasures: to }: KeyStorage): Promise<number> {
  let copied = 0;
  for (;;) {
    const page: RememberedErasure[] = await from.after(await to.last(), BATCH);
    for (const { seq, atMs, erasure } of page) {
      await to.continueAfter(seq - 1, null);
      await to.remember([erasure], atMs);
    }
    copied += page.length;
    if (page.length === 0) break;
  }
  await to.continueAfter(await from.last(), await from.forgottenBefore());
  for (let after = ''; ; ) {
    const seen = await from.seenVersions(after, BATCH);
    for (const each of seen) await to.noteVersion(each);
    after = seen.at(-1)?.listId ?? '';
    if (after === '') return copied;
  }
}

/** Until the copy is complete the new place has an unknown name, so that no node starts with half of the keys. */
async function begin(from: KeyStorage, to: KeyStorage): Promise<void> {
  const unfinished = `unfinished-${from.storeId}`;
  if (to.storeId === unfinished || to.storeId === from.storeId) return;
  const isEmpty = (await to.keys.page(null, 1)).length === 0 && (await to.erasures.last()) === 0;
  if (!isEmpty) throw new KeyStoreError('the other place holds another deployment’s keys');
  await to.adopt(unfinished);
}

/** Copies everything, and empties the old place once the copy is complete. */
export async function moveKeyStorage(o: {
  readonly from: KeyStorage;
  readonly to: KeyStorage;
  readonly store: RestoreStore;
  readonly database: Database;
  readonly audit: AuditLog;
  readonly actor: Actor;
  readonly now: () => number;
  /** Removes deleted data from the old place's files; null when only its operator can. */
  readonly scrub: (() => Promise<void>) | null;
}): Promise<MovedKeys> {
  const { from, to } = o;
  const link = await o.store.link();
  if (link !== null && link.storeId !== from.storeId) {
    throw new KeyStoreError('the keys do not lie in the main database any more');
  }
  await begin(from, to);
  const moved = { keys: await copyKeys(from, to, o.now()), erasures: await copyErasures(from, to) };
  const [before, after] = [await countOf(from), await countOf(to)];
  if (before > after || (await from.erasures.last()) > (await to.erasures.last())) {
    throw new KeyStoreError('keys are still being made: stop every node and call it again');
  }
  const signing = await from.signing.read();
  if (signing !== null) await to.signing.replace(await to.signing.read(), signing);
  await to.adopt(from.storeId);
  await o.store.claim({ storeId: from.storeId, replayedThrough: 0, replayedAt: new Date(o.now()) });
  await o.database.transaction(async (tx) => {
    await o.store.dropKeys(tx);
    await o.audit.record(tx, { accountId: null, actor: o.actor, action: 'keys.move', target: from.storeId });
  });
  await o.scrub?.();
  return { ...moved, scrubbed: o.scrub !== null };
}

async function countOf({ keys }: KeyStorage): Promise<number> {
  let all = 0;
  for (const count of (await keys.countByKek()).values()) all += count;
  return all;
}
