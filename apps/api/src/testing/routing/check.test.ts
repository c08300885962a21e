import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { checkStatements } from './check.ts';
import { ASKED_EVERYWHERE, renderAskedEverywhere } from './everywhere.ts';
import { mergeRecordings } from './recordings.ts';
import { findSites } from './sites.ts';

const PATH = 'features/things/store.ts';
const SOURCE = `export function createThingStore(connection: Connection) {
  return {
    find: () => connection('lists').where({ list_id: 'a' }).first(),
    other: () => connection('lists').where({ account_id: 'a' }).first(),
  };
}`;
const sources = new Map([[PATH, findSites(PATH, SOURCE)]]);
const sent = (sql: string, line: number) => ({ sql, same: [], lines: [`${PATH}:${line}`] });
const lines = [`${PATH}:3`, `${PATH}:4`];
/** What is listed is not sent here. */
const failuresOf = (recording: Parameters<typeof checkStatements>[0]) =>
  checkStatements(recording, sources).failures.filter((failure) => !failure.includes('is listed as'));

it('fails for a statement that asks every node and is not listed', () => {
  const statements = [sent('SELECT 1 FROM lists WHERE list_id = $1', 3)];
  expect(failuresOf({ statements, lines })).toEqual([expect.stringContaining('things/store.find: asks every node')]);
});

it('fails for a statement of the sources that no test sends', () => {
  const statements = [sent('SELECT 1 FROM lists WHERE account_id = $1', 4)];
  expect(failuresOf({ statements, lines: [`${PATH}:4`] })).toEqual([
    `${PATH}:3 (things/store.find): no test sends this statement`,
  ]);
  expect(failuresOf({ statements, lines })).toEqual([]);
});

it('fails for a listed statement that is not sent any more', () => {
  const { failures } = checkStatements({ statements: [], lines }, sources);
  expect(failures).toHaveLength(ASKED_EVERYWHERE.length);
});

it('takes parameters for the same value only if they were so in every process', () => {
  const of = (same: number[]) => ({ statements: [{ sql: 'SELECT 1', same, lines: [] }], lines: [] });
  expect(mergeRecordings([of([1, 1, 3, 1]), of([1, 2, 1, 1])]).statements[0]?.same).toEqual([1, 2, 3, 1]);
});

it('is written down in docs/operations.md', () => {
  const page = readFileSync(new URL('../../../../../docs/operations.md', import.meta.url), 'utf8');
  expect(page.includes(renderAskedEverywhere()), 'npm run statements -- --write writes it').toBe(true);
});
