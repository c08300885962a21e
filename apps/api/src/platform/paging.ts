import { ServiceError } from './errors.ts';

/** Page parameters of a collection request. */
export interface PageRequest {
  readonly cursor?: string | undefined;
  readonly limit: number;
}

/** A page of a collection; the cursor is opaque to callers and null on the last page. */
export interface Page<T> {
  readonly items: T[];
  readonly nextCursor: string | null;
}

/** The opaque form of a sort key. */
export function encodeCursor(key: string): string {
  return Buffer.from(key, 'utf8').toString('base64url');
}

/**
 * Decodes a cursor to its sort key; undefined for the first page.
 * @param isKey whether a text is a sort key of this collection
 * @throws ServiceError 'invalid-request' for a foreign cursor
 */
export function decodeCursor(cursor: string | undefined, isKey: (key: string) => boolean): string | undefined {
  if (cursor === undefined) return undefined;
  const key = Buffer.from(cursor, 'base64url').toString('utf8');
  if (encodeCursor(key) === cursor && isKey(key)) return key;
  throw new ServiceError('invalid-request', {
    errors: [{ parameter: 'cursor', detail: 'must be a nextCursor of this collection' }],
  });
}

/** @param rows up to `limit + 1` rows in order; the extra one shows that there is a next page */
export function toPage<Row, T = Row>(
  rows: readonly Row[],
  limit: number,
  keyOf: (row: Row) => string,
  map: (row: Row) => T = (row) => row as unknown as T,
): Page<T> {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  return {
    items: items.map(map),
    nextCursor: rows.length > limit && last !== undefined ? encodeCursor(keyOf(last)) : null,
  };
}

export const mapPage = <Row, T>({ items, nextCursor }: Page<Row>, map: (row: Row) => T) => ({
  items: items.map(map),
  nextCursor,
});
