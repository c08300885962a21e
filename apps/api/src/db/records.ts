/** Records have the names of columns in another case: `createdAt` is `created_at`. */
const columnOf = (field: string): string => field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/**
 * Columns to select or to return, so that rows are records: `created_at as createdAt`.
 * @param of whose columns they are, where several tables have them
 */
export const columnsOf = (fields: readonly string[], of?: string): string[] =>
  fields.map((field) => `${of === undefined ? '' : `${of}.`}${columnOf(field)} as ${field}`);

/** The same for the text of a statement. */
export const selected = (of: string, ...fields: readonly string[]): string =>
  fields.map((field) => `${of}.${columnOf(field)} AS "${field}"`).join(', ');

/** Fields of a record as columns, to insert or to compare. */
export const rowOf = (fields: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).map(([field, value]) => [columnOf(field), value]));
