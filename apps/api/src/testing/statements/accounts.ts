import { loadModule, parseSync } from 'libpg-query';
import { migrations } from '../../db/migrations/index.ts';

/** A node of PostgreSQL's parse tree, as libpg-query writes it in JSON. */
type Tree = Readonly<Record<string, unknown>>;

interface StatementAccounts {
  /** Whether it changes or locks rows. */
  readonly writes: boolean;
  /** For each place where rows of accounts are read or written: what their account equals, as `$1` or `'text`. */
  readonly uses: readonly ReadonlySet<string>[];
  /** What no statement may do. */
  readonly problems: readonly string[];
}

await loadModule();

/** Tables of the deployment, of callers whose account is not known yet, and of the key store. */
const OF_NO_ACCOUNT =
  /^(recurring_jobs|rate_limits|sign_in_challenges|key_store_link|wrapped_keys|key_encryption_keys)$/;
const OF_ACCOUNTS = new Set(
  migrations
    .flatMap(({ sql }) => [...sql.matchAll(/CREATE TABLE (\w+)/g)].map(([, name = '']) => name))
    .filter((name) => !OF_NO_ACCOUNT.test(name)),
);

const treeOf = (value: unknown): Tree => (typeof value === 'object' && value !== null ? (value as Tree) : {});
const listOf = (value: unknown): Tree[] => (Array.isArray(value) ? value.map(treeOf) : []);
const namesOf = (nodes: unknown) => listOf(nodes).map((node) => String(treeOf(node.String).sval));

/** Takes `{ SelectStmt: { … } }` apart. */
function wrapped(node: unknown): [kind: string, body: Tree] {
  const [kind = '', body] = Object.entries(treeOf(node))[0] ?? [];
  return [kind, treeOf(body)];
}

/** The nodes of some kinds anywhere in a tree. */
const find = (tree: unknown, ...kinds: string[]): [kind: string, body: Tree][] =>
  Object.entries(treeOf(tree)).flatMap(([key, value]) => [
    ...(kinds.includes(key) ? [[key, treeOf(value)] as [string, Tree]] : []),
    ...find(value, ...kinds),
  ]);

/**
 * The accounts of one query, without those within it: values flow along the equalities of its conditions, and none from a
 * query to another.
 */
class Query {
  /** What the account of each of its tables equals, by the table's name in it. */
  readonly accounts = new Map<string, Set<string>>();
  readonly #flows: (readonly [from: string, to: string])[] = [];

  constructor(body: Tree, from: unknown) {
    for (const each of listOf(from)) this.#addTables(each);
    this.#learn(body.whereClause, [...this.accounts.keys()]);
    for (let isNew = true; isNew; ) {
      const before = [...this.accounts.values()].reduce((sum, { size }) => sum + size, 0);
      for (const [from, to] of this.#flows) for (const value of this.valuesOf(from)) this.accounts.get(to)?.add(value);
      isNew = [...this.accounts.values()].reduce((sum, { size }) => sum + size, 0) > before;
    }
  }

  valuesOf = (term: string): ReadonlySet<string> =>
    this.accounts.get(term) ?? new Set(/^[$']/.test(term) ? [term] : []);

  /** A parameter, a text, or the name of a table whose account it is; otherwise empty. */
  termOf(node: unknown): string {
    const [kind, body] = wrapped(node);
    if (kind === 'TypeCast') return this.termOf(body.arg);
    if (kind === 'ParamRef') return `$${String(body.number)}`;
    if (kind === 'A_Const' && body.sval !== undefined) return `'${String(treeOf(body.sval).sval)}`;
    const [column, table = [...this.accounts.keys()][0]] = namesOf(body.fields).reverse();
    return kind === 'ColumnRef' && column === 'account_id' ? (table ?? '') : '';
  }

  /** @returns the names of the added tables */
  #addTables(node: unknown): string[] {
    const [kind, body] = wrapped(node);
    if (kind === 'RangeVar' && OF_ACCOUNTS.has(String(body.relname))) {
      const name = String(treeOf(body.alias).aliasname ?? body.relname);
      this.accounts.set(name, new Set());
      return [name];
    }
    if (kind !== 'JoinExpr') return [];
    const [left, right] = [this.#addTables(body.larg), this.#addTables(body.rarg)];
    // The condition of an outer join binds only the side that may be missing.
    const bound = { JOIN_INNER: [...left, ...right], JOIN_LEFT: right, JOIN_RIGHT: left }[String(body.jointype)] ?? [];
    this.#learn(body.quals, bound);
    if (namesOf(body.usingClause).includes('account_id')) this.#equal(left[0] ?? '', right[0] ?? '', bound);
    return [...left, ...right];
  }

  /** Learns what a condition demands of the rows of some tables. */
  #learn(condition: unknown, bound: readonly string[]): void {
    const [kind, body] = wrapped(condition);
    if (kind === 'BoolExpr' && body.boolop === 'AND_EXPR') {
      for (const each of listOf(body.args)) this.#learn(each, bound);
    }
    if (kind !== 'A_Expr' || namesOf(body.name)[0] !== '=') return;
    const others = listOf(treeOf(treeOf(body.rexpr).List).items);
    const right = body.kind === 'AEXPR_IN' && others.length === 1 ? others[0] : body.rexpr;
    const [lefts, rights] = [body.lexpr, right].map((side) => {
      const [sideKind, row] = wrapped(side);
      return sideKind === 'RowExpr' ? listOf(row.args) : [side];
    });
    if (body.kind !== 'AEXPR_OP' && body.kind !== 'AEXPR_IN') return;
    for (const [i, each] of (lefts ?? []).entries()) this.#equal(this.termOf(each), this.termOf(rights?.[i]), bound);
  }

  #equal(a: string, b: string, bound: readonly string[]): void {
    if (bound.includes(b)) this.#flows.push([a, b]);
    if (bound.includes(a)) this.#flows.push([b, a]);
  }
}

/** The accounts of the rows that an INSERT writes: a set for each row of VALUES, or for each SELECT. */
function insertedBy(body: Tree): ReadonlySet<string>[] {
  if (!OF_ACCOUNTS.has(String(treeOf(body.relation).relname))) return [];
  const at = listOf(body.cols).findIndex((each) => treeOf(each.ResTarget).name === 'account_id');
  const ofSelect = (select: Tree): ReadonlySet<string>[] => {
    if (select.larg !== undefined) return [treeOf(select.larg), treeOf(select.rarg)].flatMap(ofSelect);
    const query = new Query(select, select.fromClause);
    const rows = listOf(select.valuesLists).map((row) => listOf(treeOf(row.List).items)[at]);
    const selected = treeOf(treeOf(listOf(select.targetList)[at]).ResTarget).val;
    return (rows.length > 0 ? rows : [selected]).map((value) => query.valuesOf(query.termOf(value)));
  };
  return ofSelect(treeOf(treeOf(body.selectStmt).SelectStmt));
}

/** @throws SqlError for what PostgreSQL cannot parse */
function accountsOf(sql: string): StatementAccounts {
  const tree = parseSync(sql) as { readonly stmts: unknown };
  // The sides of a UNION are larg and rarg.
  const queries = find(tree, 'SelectStmt', 'larg', 'rarg', 'InsertStmt', 'UpdateStmt', 'DeleteStmt');
  const uses = queries.flatMap(([kind, body]) => {
    if (kind === 'InsertStmt') return insertedBy(body);
    const target = kind === 'UpdateStmt' || kind === 'DeleteStmt' ? [{ RangeVar: body.relation }] : [];
    return [...new Query(body, [...target, ...listOf(body.fromClause ?? body.usingClause)]).accounts.values()];
  });
  const named = find(tree, 'CommonTableExpr').filter(([, body]) => OF_ACCOUNTS.has(String(body.ctename)));
  const moved = find(tree, 'UpdateStmt', 'onConflictClause')
    .flatMap(([, body]) => listOf(body.targetList).map((each) => treeOf(each.ResTarget)))
    .filter(({ name, val }) => name === 'account_id' && namesOf(wrapped(val)[1].fields)[0] !== 'excluded');
  return {
    uses,
    writes: queries.some(([kind, body]) => /^(Insert|Update|Delete)/.test(kind) || body.lockingClause !== undefined),
    problems: [
      ...(listOf(tree.stmts).length === 1 ? [] : ['several statements in one']),
      ...(named.length === 0 ? [] : ['a WITH has the name of a table']),
      ...(moved.length === 0 ? [] : ['a row gets another account']),
    ],
  };
}

const OF_ALL = /\/\* all accounts \*\//;

/**
 * Checks a statement as it is sent: each query of it is of one account, which a value names; or the statement says that
 * it is about all accounts, and only reads.
 * @returns why it may not be sent; empty otherwise
 */
export function checkAccounts(sql: string, values: readonly unknown[]): string[] {
  const { uses, writes, problems } = analysed(sql);
  const named = uses.map((terms) => new Set([...terms].map((term) => actual(term, values))));
  const [first = new Set()] = named;
  const isOfOne = uses.length === 0 || [...first].some((value) => named.every((each) => each.has(value)));
  if (isOfOne) return [...problems];
  if (!OF_ALL.test(sql)) return [...problems, 'names no account, or several'];
  return [...problems, ...(writes ? ['writes rows of several accounts'] : [])];
}

const actual = (term: string, values: readonly unknown[]) =>
  term.startsWith('$') ? values[Number(term.slice(1)) - 1] : term.slice(1);

const known = new Map<string, StatementAccounts>();

function analysed(sql: string): StatementAccounts {
  const found = known.get(sql) ?? accountsOf(sql);
  known.set(sql, found);
  return found;
}
