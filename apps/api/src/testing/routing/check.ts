import { readdirSync, readFileSync } from 'node:fs';
import { ASKED_EVERYWHERE } from './everywhere.ts';
import { type Recording, SOURCES } from './recordings.ts';
import { type Place, type Route, routeOf } from './route.ts';
import { readSchema } from './schema.ts';
import { type FoundSites, findSites } from './sites.ts';

export interface CheckedStatement extends Route {
  readonly sql: string;
  /** The store's function that sent it. */
  readonly name: string;
}

export interface StatementReport {
  readonly statements: readonly CheckedStatement[];
  /** Places in the sources that make statements. */
  readonly sites: number;
  readonly failures: readonly string[];
}

const isChecked = (path: string) =>
  path.endsWith('.ts') && !/\.test\.ts$|\.fixture\.ts$|^testing\/|^db\/(migrat|key-migrat|embedded)/.test(path);

function readSources(): ReadonlyMap<string, FoundSites> {
  const paths = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' }).filter(isChecked);
  return new Map(paths.map((path) => [path, findSites(path, readFileSync(SOURCES + path, 'utf8'))]));
}

/** Of the innermost function of a store, else of the innermost function. */
function nameOf(lines: readonly string[], sources: ReadonlyMap<string, FoundSites>): string {
  const named = lines.flatMap((line) => {
    const [path = '', number] = line.split(':');
    const name = sources.get(path)?.names.get(Number(number));
    return name === undefined ? [] : [{ path, name }];
  });
  return (named.find(({ path }) => /store\.ts$/.test(path)) ?? named[0])?.name ?? 'a library';
}

/**
 * Checks that every place that makes a statement was recorded, and that every statement runs on one account's node, or
 * is listed as one that asks every node.
 */
export function checkStatements(recording: Recording, sources = readSources()): StatementReport {
  const { tables, problems } = readSchema();
  const failures: string[] = [...problems];
  const made = new Set(recording.lines);
  const sites = [...sources.values()].flatMap((found) => found.sites);
  for (const { path, firstLine, lastLine, name } of sites) {
    const lines = Array.from({ length: lastLine - firstLine + 1 }, (_, i) => `${path}:${firstLine + i}`);
    if (!lines.some((line) => made.has(line))) failures.push(`${lines[0]} (${name}): no test sends this statement`);
  }
  for (const { conditional } of sources.values()) {
    for (const place of conditional) failures.push(`${place}: the account is a condition only sometimes`);
  }
  const statements = recording.statements.map(({ sql, same, lines }): CheckedStatement => {
    const name = nameOf(lines, sources);
    return { sql, name, ...routeOf(sql, tables, (parameter) => same[parameter - 1] ?? parameter) };
  });
  const listed = new Map(ASKED_EVERYWHERE.map((each) => [each.name, each]));
  for (const { sql, name, place, problems: own } of statements) {
    const why = [...own, ...(place === 'everywhere' && !listed.has(name) ? ['asks every node'] : [])];
    if (why.length > 0)
      failures.push(`${name}: ${why.join('; ')}\n    ${sql.trim().replace(/\s+/g, ' ').slice(0, 300)}`);
  }
  const asking = new Set(statements.filter(({ place }) => place === 'everywhere').map(({ name }) => name));
  for (const name of listed.keys()) {
    if (!asking.has(name)) failures.push(`${name} is listed as asking every node, and does not`);
  }
  return { statements, sites: sites.length, failures };
}

const PLACES: Record<Place, string> = {
  account: 'on one account’s node',
  'one-node': 'on the node with the tables of no account',
  'key-store': 'in the key store’s database',
  anywhere: 'without a table',
  everywhere: 'on every node',
};

/** One line a place, with the number of statements. */
export function summarise({ statements, sites }: StatementReport): string {
  const count = (of: (each: CheckedStatement) => boolean) => statements.filter(of).length;
  const apart = count((each) => each.place === 'account' && each.isTakenApart);
  return [
    `${statements.length} statements of ${sites} places in the sources:`,
    ...Object.entries(PLACES).map(([place, where]) => `  ${count((each) => each.place === place)} ${where}`),
    `  (of the first, ${apart} are taken apart by a coordinator)`,
  ].join('\n');
}
