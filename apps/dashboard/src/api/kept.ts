import { Listeners } from '@svc/page-kit';

const OWNER = 'svcd-owner';

/**
 * Everything that the dashboard keeps in a browser: databases, and beginnings of names in local storage. Until the session
 * ends in whatever way, as it names guests; until its person signs out or another one signs in; or for good.
 */
export const kept = {
  session: { databases: ['svcd-imports'], names: [] },
  person: { databases: [], names: ['svcd-draft-', OWNER] },
  // Hashes of chains, without names: by them a rewritten ledger is noticed.
  browser: { databases: [], names: ['svcd-ledger-heads', 'svcd-language', 'svcd-theme'] },
} as const;

const ends = new Listeners<void>();
/** @param stop ends what would write again what is being forgotten */
export const onForgotten = (stop: () => void): (() => void) => ends.add(stop);

const removed = (name: string) =>
  new Promise<void>((resolve) => {
    const request = indexedDB.deleteDatabase(name);
    // Blocked: by another tab, after whose transaction it goes.
    request.onsuccess = request.onerror = request.onblocked = () => resolve();
  });

/** Forgets what is kept until this end. A browser whose storage is turned off has nothing to forget. */
export async function forgetKept(end: 'session' | 'person'): Promise<void> {
  ends.tell();
  try {
    for (const stored of end === 'person' ? Object.keys(localStorage) : []) {
      if (kept.person.names.some((name) => stored.startsWith(name))) localStorage.removeItem(stored);
    }
    await Promise.all(kept.session.databases.map(removed));
  } catch {
    return;
  }
}

/** Forgets what is kept of another person than the one who is signed in. */
export function keepFor(userId: string): void {
  try {
    const owner = localStorage.getItem(OWNER);
    if (owner === userId) return;
    // None: it was not on the disk yet when the browser crashed. Each import also tells whose it is.
    if (owner !== null) void forgetKept('person');
    localStorage.setItem(OWNER, userId);
  } catch {
    return;
  }
}
