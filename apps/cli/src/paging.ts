import type { Admin } from '@svc/api';

type Page<T> = { readonly items: readonly T[]; readonly nextCursor: string | null };
type Cursor = Parameters<Admin['audit']['page']>[1];

const ROWS = 200;

/** Every item of a collection. */
export async function everything<T>(page: (request: Cursor) => Promise<Page<T>>): Promise<T[]> {
  const items: T[] = [];
  for (let cursor: string | undefined; ; ) {
    const next = await page({ limit: ROWS, cursor });
    items.push(...next.items);
    if (next.nextCursor === null) return items;
    cursor = next.nextCursor;
  }
}
