import { dirname, resolve } from 'node:path';
import { CsvError, parse } from 'csv-parse/sync';
import { CliError } from '../cli-error.ts';

/** The people of a pair: 0 … people − 1, the same twice for a genuine pair. */
export type PairPeople = readonly [number, number];

/**
 * Derives the people from a list of pairs: photos linked by genuine pairs, directly or indirectly, are one person's;
 * every other photo is another person's.
 */
export function peopleOfPairs(pairs: readonly Pick<ListedPair, 'left' | 'right' | 'same'>[]): PairPeople[] {
  const parent = new Map<string, string>();
  const rootOf = (photo: string): string => {
    let root = photo;
    for (let next = parent.get(root); next !== undefined; next = parent.get(root)) root = next;
    // Path compression (union-find).
    for (let at = photo; at !== root; ) {
      const next = parent.get(at) ?? root;
      parent.set(at, root);
      at = next;
    }
    return root;
  };
  for (const { left, right, same } of pairs) {
    if (!same) continue;
    const [a, b] = [rootOf(left), rootOf(right)];
    if (a !== b) parent.set(b, a);
  }
  const numbers = new Map<string, number>();
  const personOf = (photo: string): number => {
    const root = rootOf(photo);
    const number = numbers.get(root) ?? numbers.size;
    numbers.set(root, number);
    return number;
  };
  return pairs.map(({ left, right }) => [personOf(left), personOf(right)]);
}

/** One row of a list of pairs. */
export interface ListedPair {
  /** Absolute path of the first photo. */
  readonly left: string;
  readonly right: string;
  /** Whether both photos show one person. */
  readonly same: boolean;
  /** Line of the file, from 1. */
  readonly line: number;
}

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
    return { left: resolve(folder, left), right: resolve(folder, right), same: truth, line };
  });
}
