import { attemptSoon, Listeners, pageStorage } from '@svc/page-kit';

const OWNER = 'svcd-owner';

/**
 * Everything that the dashboard keeps in a browser. Until the session ends in whatever way: databases that name guests.
 * Until its person signs out or another one signs in, and for good: beginnings of names in local storage. The heads of
 * chains are hashes without names, by which a rewritten ledger is noticed.
 */
export const kept = {
  session: ['svcd-imports'],
  person: ['svcd-draft-', OWNER],
  browser: ['svcd-ledger-heads', 'svcd-language', 'svcd-theme'],
} as const;

const ends = new Listeners<void>();
/** @param stop ends what would write again what is being forgotten */
export const onForgotten = (stop: () => void): (() => void) => ends.add(stop);

/** Blocked: another tab is writing, and it goes afterwards. */
const removed = (name: string) =>
  new Promise<unknown>((done) =>
    Object.assign(indexedDB.deleteDatabase(name), { onsuccess: done, onerror: done, onblocked: done }),
  );

/** Forgets what is kept until this end. Never rejects, and waits no longer than a moment for a database. */
export async function forgetKept(end: 'session' | 'person'): Promise<void> {
  ends.tell();
  for (const stored of end === 'person' ? pageStorage.names() : []) {
    if (kept.person.some((name) => stored.startsWith(name))) pageStorage.removeItem(stored);
  }
  for (const name of kept.session) await attemptSoon(() => removed(name), undefined);
}

/** Forgets what is kept of another person than the one who is signed in. */
export function keepFor(userId: string): void {
  const owner = pageStorage.getItem(OWNER);
  // None: it was not on the disk yet when the browser crashed. Each import also tells whose it is.
  if (owner !== null && owner !== userId) void forgetKept('person');
  // So does each draft: a tab of a former person may have kept it again after the sign-out in another one.
  for (const name of pageStorage.names())
    if (name.startsWith('svcd-draft-') && !name.endsWith(`:${userId}`)) pageStorage.removeItem(name);
  pageStorage.setItem(OWNER, userId);
}
