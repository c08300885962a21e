import type { Connection } from './connection.ts';

/** A knex selection that answers rows as records: the columns by the records' fields. */
export type Columns = Readonly<Record<string, string>>;

export const columnOf = (field: string): string => field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** `listId` is the column `list_id`. All fields of the record must be named, and no other. */
export const columnsOf =
  <T>() =>
  <const Field extends keyof T & string>(
    ...fields: (readonly Field[])[]
  ): [Exclude<keyof T, Field>] extends [never] ? Columns : never =>
    Object.fromEntries(fields.flat().map((field) => [field, columnOf(field)])) as never;

/** A record as a row to write, or as a key to find one by. */
export const toRow = (record: object): Record<string, never> =>
  Object.fromEntries(Object.entries(record).map(([field, value]) => [columnOf(field), value as never]));

/** The columns of one of several tables. @param group the object of {@link nested} that they belong to */
export const columnsIn = (table: string, columns: Columns, group?: string): Columns =>
  Object.fromEntries(
    Object.entries(columns).map(([field, column]) => [
      group === undefined ? field : `${group}.${field}`,
      `${table}.${column}`,
    ]),
  );

/** A selection for SQL that is written out. */
export const selected = (columns: Columns): string =>
  Object.entries(columns)
    .map(([field, column]) => `${column} AS "${field}"`)
    .join(', ');

/** A selection for `returning`. */
export const aliases = (columns: Columns): string[] =>
  Object.entries(columns).map(([field, column]) => `${column} as ${field}`);

/** A row with fields as `list.name` as an object with an object `list`. */
export function nested<T>(row: object): T {
  const record: Record<string, unknown> = {};
  const groups: Record<string, Record<string, unknown>> = {};
  for (const [path, value] of Object.entries(row)) {
    const [group = '', field] = path.split('.');
    if (field === undefined) record[group] = value;
    else groups[group] = Object.assign(groups[group] ?? {}, { [field]: value });
  }
  return { ...record, ...groups } as T;
}

/** What SQL that is written out answers. @param values by place or by name; those without a place are left out */
export const rowsOf = async <T>(on: Connection, sql: string, values: object = []): Promise<T[]> =>
  (await on.raw<{ rows: T[] }>(sql, values as never)).rows;

/**
 * Patterns of ILIKE for texts that contain a part, whatever the case; no character of the part is a wildcard. The locale
 * of a database may know the case of ASCII letters alone, so other parts are looked for in both cases too.
 */
export function patternsOf(part: string): string[] {
  const cases = /[^ -~]/.test(part) ? [part, part.toLowerCase(), part.toUpperCase()] : [part];
  return cases.map((each) => `%${each.replace(/[\\%_]/g, '\\$&')}%`);
}
