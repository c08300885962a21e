import { keyMigrations } from '../../db/key-migrations/index.ts';
import { migrations } from '../../db/migrations/index.ts';
import { listOf, statementsOf, type Tree, textOf, treeOf, wrapped } from './tree.ts';

/** The column that a distributed PostgreSQL spreads rows by. */
export const SPREAD_BY = 'account_id';

/** Where a table's rows are: spread over the nodes by account, on one node, or in the key store's own database. */
export type TablePlace = 'spread' | 'one-node' | 'key-store';

export interface TableFacts {
  readonly place: TablePlace;
  readonly columns: readonly string[];
  readonly hasTriggers: boolean;
}

/** Tables by name. */
export type Tables = ReadonlyMap<string, TableFacts>;

interface Made {
  place: TablePlace;
  readonly columns: string[];
  hasTriggers: boolean;
}

/** Made by knex, not by a migration. */
const MADE_BY_KNEX = ['schema_migrations', 'key_store_migrations'].flatMap((name) => [name, `${name}_lock`]);
/** No other table may do without the account: nothing would tell whose rows it holds. */
const OF_NO_ACCOUNT = new Set([
  ...MADE_BY_KNEX,
  'recurring_jobs',
  'rate_limits',
  'sign_in_challenges',
  'key_store_link',
]);
/** In the main database too, where they are used if there is no other key store. */
const OF_THE_KEY_STORE = new Set(['wrapped_keys', 'key_encryption_keys']);

const columnNamesOf = (keys: unknown): string[] => listOf(keys).map((key) => textOf(treeOf(key.String).sval));

/** What keeps a key or reference of a spread table from being checked on one node. */
function problemOf(table: string, constraint: Tree, column: string | null): string | null {
  const kind = textOf(constraint.contype);
  const own = column === null ? columnNamesOf(constraint.keys ?? constraint.fk_attrs) : [column];
  if (kind === 'CONSTR_PRIMARY' || kind === 'CONSTR_UNIQUE') {
    return own.includes(SPREAD_BY) ? null : `${table}: a unique key without ${SPREAD_BY} (${own.join(', ')})`;
  }
  if (kind !== 'CONSTR_FOREIGN') return null;
  return own.includes(SPREAD_BY) ? null : `${table}: a reference without ${SPREAD_BY} (${own.join(', ')})`;
}

/**
 * The tables that migrations make, and what in them no distributed PostgreSQL could hold: keys and references of spread
 * tables without the account.
 */
export function readSchema(
  main: readonly { readonly sql: string }[] = migrations,
  keys: readonly { readonly sql: string }[] = keyMigrations,
): { readonly tables: Tables; readonly problems: readonly string[] } {
  const tables = new Map<string, Made>();
  const constraints: { readonly table: string; readonly constraint: Tree; readonly column: string | null }[] = [];
  for (const name of MADE_BY_KNEX) {
    tables.set(name, { place: 'one-node', columns: ['id', 'name', 'batch', 'migration_time'], hasTriggers: false });
  }

  function addColumn(table: string, made: Made, definition: Tree): void {
    const column = textOf(definition.colname);
    made.columns.push(column);
    for (const each of listOf(definition.constraints)) {
      constraints.push({ table, constraint: treeOf(each.Constraint), column });
    }
  }

  function apply(statement: Tree, place: TablePlace): void {
    const [kind, body] = wrapped(statement);
    const table = textOf(treeOf(body.relation).relname);
    if (kind === 'CreateStmt') {
      const made = tables.get(table) ?? { place, columns: [], hasTriggers: false };
      tables.set(table, made);
      for (const element of listOf(body.tableElts)) {
        const [what, definition] = wrapped(element);
        if (what === 'ColumnDef') addColumn(table, made, definition);
        else constraints.push({ table, constraint: definition, column: null });
      }
      if (OF_THE_KEY_STORE.has(table)) made.place = 'key-store';
      else if (place !== 'key-store') made.place = made.columns.includes(SPREAD_BY) ? 'spread' : 'one-node';
    }
    const made = tables.get(table);
    if (made === undefined) return;
    if (kind === 'AlterTableStmt') {
      for (const each of listOf(body.cmds)) {
        const command = treeOf(each.AlterTableCmd);
        const [what, definition] = wrapped(treeOf(command.def));
        if (what === 'ColumnDef' && command.subtype === 'AT_AddColumn') addColumn(table, made, definition);
        if (what === 'Constraint') constraints.push({ table, constraint: definition, column: null });
      }
    }
    if (kind === 'CreateTrigStmt') made.hasTriggers = true;
    if (kind === 'IndexStmt' && body.unique === true) {
      const own = listOf(body.indexParams).map((each) => ({ String: { sval: treeOf(each.IndexElem).name } }));
      constraints.push({ table, constraint: { contype: 'CONSTR_UNIQUE', keys: own }, column: null });
    }
  }

  for (const [steps, place] of [[main, 'spread'] as const, [keys, 'key-store'] as const]) {
    for (const { sql } of steps) for (const statement of statementsOf(sql)) apply(statement, place);
  }
  const problems = [...tables].flatMap(([table, { place }]) =>
    place === 'one-node' && !OF_NO_ACCOUNT.has(table) ? [`${table}: a table without ${SPREAD_BY}`] : [],
  );
  for (const { table, constraint, column } of constraints) {
    const place = tables.get(table)?.place;
    const problem = place === 'spread' ? problemOf(table, constraint, column) : null;
    if (problem !== null) problems.push(problem);
    const to = tables.get(textOf(treeOf(constraint.pktable).relname));
    if (to !== undefined && to.place !== place) problems.push(`${table}: a reference to a table that lies elsewhere`);
  }
  return { tables, problems };
}
