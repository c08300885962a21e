import { dirname, resolve } from 'node:path';
import type { ListedPair } from '@svc/benchmarks/research/recognition/pairs';
import { CsvError, parse } from 'csv-parse/sync';
import { CliError } from './cli-error.ts';

const columns = ['left', 'right', 'same'] as const;
const truths: Readonly<Record<string, boolean>> = { '1': true, true: true, '0': false, false: false };

/** RFC 4180 with a header line; a byte order mark, spaces around values and blank lines are ignored. */
function rowsOf(text: string, name: string): { record: Record<string, string>; line: number }[] {
  try {
    const rows = parse(text, {
      columns: (header: string[]) => header.map((column) => column.trim().toLowerCase()),
      bom: true,
      trim: true,
      skip_empty_lines: true,
      info: true,
    });
    return (rows as unknown as { record: Record<string, string>; info: { lines: number } }[]).map(
      ({ record, info }) => ({ record, line: info.lines }),
    );
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const lines: unknown = error.lines;
    throw new CliError(
      `${name}:${typeof lines === 'number' ? `${lines}:` : ''} not a well-formed CSV file (${error.code})`,
    );
  }
}

/**
 * Reads a list of pairs: columns `left`, `right` and `same` (1, 0, true, false); further columns are ignored.
 * @param file path of the list: relative photo paths start at its folder, and errors name it
 * @throws CliError with the number of an invalid line
 */
export function parsePairs(text: string, file: string): ListedPair[] {
  const rows = rowsOf(text, file);
  if (rows.length === 0) throw new CliError(`${file}: holds no pairs`);
  const missing = columns.filter((column) => !Object.hasOwn(rows[0]?.record ?? {}, column));
  if (missing.length > 0)
    throw new CliError(`${file}: the header lacks ${missing.join(', ')}; it must be left,right,same`);
  return rows.map(({ record, line }) => {
    const { left = '', right = '', same = '' } = record;
    if (left === '' || right === '') throw new CliError(`${file}:${line}: left and right must name a photo`);
    const truth = truths[same.toLowerCase()];
    if (truth === undefined) throw new CliError(`${file}:${line}: same must be 1, 0, true or false`);
    const folder = dirname(file);
    return { left: resolve(folder, left), right: resolve(folder, right), same: truth };
  });
}
