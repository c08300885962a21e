import { attemptSoon } from '@svc/page-kit';
import type { RowState } from './import-run.ts';

/** An import that is not finished: names and outcomes, never a photo. */
export interface KeptImport {
  readonly listId: string;
  /** Whose it is. */
  readonly userId: string;
  /** A UUID; with the row's number it is the Idempotency-Key of the row. */
  readonly importId: string;
  /** By the service's clock. */
  readonly startedAtMs: number;
  /** When it is forgotten though it was not finished. */
  readonly discardAtMs: number;
  /** By row. */
  readonly personIds: readonly string[];
  /** The chosen folder, where the browser lets a page keep it. */
  readonly folder: FileSystemDirectoryHandle | null;
}

export interface StoredImport {
  readonly kept: KeptImport;
  readonly rows: readonly RowState[];
}

const NAME = 'svcd-imports';
/** A browser that takes longer to open it keeps nothing. */
const OPEN_MS = 8_000;

function settled<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

function done(transaction: IDBTransaction): Promise<void> {
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onabort = () => reject(transaction.error);
  });
}

/** @returns undefined where nothing is kept, unless `makes`: a page that only looks leaves no database behind */
function open(makes: boolean): Promise<IDBDatabase | undefined> {
  const request = indexedDB.open(NAME, 1);
  let isNone = false;
  request.onupgradeneeded = () => {
    isNone = !makes;
    if (isNone) return request.transaction?.abort();
    request.result.createObjectStore('imports', { keyPath: 'listId' });
    request.result.createObjectStore('rows');
  };
  return settled(request).catch((error: unknown) => {
    if (!isNone) throw error;
    return undefined;
  });
}

const rowsOf = (listId: string) => IDBKeyRange.bound([listId], [listId, []]);

/**
 * Carries work out in one transaction, which is written when this resolves.
 * @returns undefined where there is no database and `makes` makes none
 * @throws DOMException when it cannot be
 */
async function change<T>(
  mode: IDBTransactionMode,
  work: (imports: IDBObjectStore, rows: IDBObjectStore) => T | Promise<T>,
  makes = false,
): Promise<T | undefined> {
  const database = await attemptSoon(
    () => open(makes),
    null,
    OPEN_MS,
    (late) => late?.close(),
  );
  if (database === undefined) return undefined;
  if (database === null) throw new DOMException('the database does not open', 'UnknownError');
  try {
    const transaction = database.transaction(['imports', 'rows'], mode);
    const end = done(transaction);
    const result = await work(transaction.objectStore('imports'), transaction.objectStore('rows'));
    await end;
    return result;
  } finally {
    database.close();
  }
}

/** Keeps a new import of a list, in the place of a former one. */
export const keepImport = (kept: KeptImport): Promise<void> =>
  change(
    'readwrite',
    (imports, rows) => {
      rows.delete(rowsOf(kept.listId));
      imports.put(kept);
    },
    true,
  );

/** Keeps nothing of an import that was forgotten meanwhile. */
export const keepRow = (listId: string, row: number, state: RowState): Promise<void> =>
  change('readwrite', async (imports, rows) => {
    if ((await settled(imports.getKey(listId))) !== undefined) rows.put(state, [listId, row]);
  });

/** Whether an import of any list is not finished. */
export const hasUnfinished = async (): Promise<boolean> =>
  (await change('readonly', async (imports) => (await settled(imports.count())) > 0)) ?? false;

export const discardImport = (listId: string): Promise<void> =>
  change('readwrite', (imports, rows) => {
    imports.delete(listId);
    rows.delete(rowsOf(listId));
  });

/** Those without a `userId` too, which nobody can resume: an earlier version kept them. */
export const discardOverdue = (nowMs: number): Promise<void> =>
  change('readwrite', async (imports, rows) => {
    for (const kept of (await settled(imports.getAll())) as KeptImport[]) {
      if (kept.discardAtMs > nowMs && kept.userId !== undefined) continue;
      imports.delete(kept.listId);
      rows.delete(rowsOf(kept.listId));
    }
  });

/** A list's unfinished import with the states of its rows; null for none. */
export async function readImport(listId: string, userId: string): Promise<StoredImport | null> {
  const stored = await change('readonly', async (imports, rows) => {
    const range = rowsOf(listId);
    const [kept, keys, states] = await Promise.all([
      settled(imports.get(listId)) as Promise<KeptImport | undefined>,
      settled(rows.getAllKeys(range)) as Promise<[string, number][]>,
      settled(rows.getAll(range)) as Promise<RowState[]>,
    ]);
    if (kept === undefined || kept.userId !== userId) return null;
    const known = new Map(keys.map(([, row], at) => [row, states[at]]));
    return { kept, rows: kept.personIds.map((_, row) => known.get(row) ?? { state: 'waiting' as const }) };
  });
  return stored ?? null;
}
