import { SPREAD_BY, type TableFacts, type Tables } from './schema.ts';
import { childrenOf, listOf, statementsOf, type Tree, textOf, treeOf, wrapped } from './tree.ts';

/**
 * What columns of a statement are known to equal: values flow along the equalities of the conditions of one query, as
 * PostgreSQL's planner derives them. A flow has a direction, because a condition of an outer join binds only the side that
 * may be missing. No value flows between a query and a subquery of it, nor out of a WITH: there the planner derives none,
 * so a router does not see one.
 */
class Equalities {
  readonly #flows = new Map<string, Set<string>>();
  readonly #joined: (readonly [string, string])[] = [];
  /** Columns of a UNION or of several rows of VALUES: they equal only what all their sources equal. */
  readonly #merged = new Map<string, readonly (string | null)[]>();

  /** Whatever `from` equals, `to` equals. */
  flow(from: string, to: string): void {
    const found = this.#flows.get(from) ?? new Set();
    this.#flows.set(from, found.add(to));
  }

  /** The two are equal, but a router does not see by what. */
  join(a: string, b: string): void {
    this.#joined.push([a, b]);
  }

  merge(sources: readonly (string | null)[], to: string): void {
    this.#merged.set(to, sources);
  }

  /** The values that each column equals, by the names of `values`. */
  solve(values: Iterable<string>): ReadonlyMap<string, ReadonlySet<string>> {
    const known = new Map<string, Set<string>>();
    const learn = (name: string, value: string): boolean => {
      const found = known.get(name) ?? new Set();
      if (found.has(value)) return false;
      known.set(name, found.add(value));
      return true;
    };
    for (const value of values) learn(value, value);
    for (let isNew = true; isNew; ) {
      isNew = false;
      for (const [from, all] of this.#flows) {
        for (const value of [...(known.get(from) ?? [])]) for (const to of all) if (learn(to, value)) isNew = true;
      }
      for (const [to, [first, ...others]] of this.#merged) {
        const common = [...(known.get(first ?? '') ?? [])].filter((value) =>
          others.every((source) => known.get(source ?? '')?.has(value) === true),
        );
        for (const value of common) if (learn(to, value)) isNew = true;
      }
    }
    return known;
  }

  /** Columns that are joined with each other, whatever they equal: a name for each group. */
  groups(): (name: string) => string {
    const parent = new Map<string, string>();
    const find = (name: string): string => {
      const above = parent.get(name);
      return above === undefined ? name : find(above);
    };
    const join = (a: string, b: string) => {
      const [rootA, rootB] = [find(a), find(b)];
      if (rootA !== rootB) parent.set(rootA, rootB);
    };
    for (const [from, all] of this.#flows) for (const to of all) join(from, to);
    for (const [a, b] of this.#joined) join(a, b);
    return find;
  }
}

/**
 * Where a statement runs, were the tables spread by account over several nodes: on the node of one account, on the one
 * node that holds tables of no account, in the key store's database, anywhere (it names no table), or on every node.
 */
export type Place = 'account' | 'one-node' | 'key-store' | 'anywhere' | 'everywhere';

export interface Route {
  readonly place: Place;
  /** Of the main database. */
  readonly tables: readonly string[];
  /** Why a distributed PostgreSQL refuses it, even if every node may be asked. */
  readonly problems: readonly string[];
  /**
   * Whether the coordinator takes it apart, although all of it is on one node: a WITH that inserts, an INSERT with a WITH,
   * or an INSERT of what no table holds. Each part is one more round trip between coordinator and node.
   */
  readonly isTakenApart: boolean;
}

/** A table, subquery, common table expression or function that a query reads from. */
interface Source {
  readonly id: string;
  readonly name: string;
  /** Null where they are not known: then every name may be one. */
  readonly columns: readonly string[] | null;
}

interface Output {
  readonly name: string;
  /** Null for what is computed. */
  readonly column: string | null;
}

interface Term {
  readonly name: string;
  readonly is: 'value' | 'own' | 'outer';
}

interface Scope {
  readonly sources: Source[];
  readonly parent: Scope | null;
  readonly expressions: ReadonlyMap<string, readonly Output[]>;
}

/** A place where rows of a spread table are read or written. */
interface SpreadUse {
  readonly column: string;
  readonly table: string;
  /** Branches of a UNION may be of different nodes when everything is asked. */
  readonly branch: string;
}

/** A function that may give another result for each row: the nodes would have to agree on it. */
const VOLATILE = new Set([
  ...[
    'random',
    'random_normal',
    'gen_random_uuid',
    'uuidv4',
    'uuidv7',
    'clock_timestamp',
    'timeofday',
    'nextval',
    'setval',
  ],
  ...['currval', 'lastval', 'pg_notify', 'set_config', 'pg_sleep', 'txid_current', 'pg_current_xact_id'],
]);
const ADVISORY_LOCK = /^pg_(try_)?advisory_/;
/** They name a place on one server, which another node's row has too. */
const PLACES_ON_A_SERVER = new Set(['ctid', 'tableoid']);
const READS = new Set(['SelectStmt']);
const WRITES = new Set(['InsertStmt', 'UpdateStmt', 'DeleteStmt']);
/** They control the session or its transaction. */
const OF_THE_SESSION = new Set(['TransactionStmt', 'VariableSetStmt', 'VariableShowStmt']);

const isAnd = (kind: string, body: Tree) => kind === 'BoolExpr' && body.boolop === 'AND_EXPR';
const operatorOf = (body: Tree) => textOf(treeOf(listOf(body.name)[0]?.String).sval);
const namesOf = (nodes: unknown): string[] => listOf(nodes).map((node) => textOf(treeOf(node.String).sval));

class Analysis {
  readonly tables: Tables;
  readonly equal = new Equalities();
  readonly values = new Set<string>();
  readonly spread: SpreadUse[] = [];
  readonly used = new Map<string, TableFacts>();
  readonly problems = new Set<string>();
  /** Tables that may hold anything: a view of spread ones, too. */
  readonly strangers = new Set<string>();
  readonly #valueOf: (parameter: number) => string;
  #count = 0;
  #branch = 'whole';
  writes = false;
  locks = false;
  isVolatile = false;
  isTakenApart = false;
  hasCaseOf = false;

  constructor(tables: Tables, nameOfValue: (parameter: number) => string) {
    this.tables = tables;
    this.#valueOf = nameOfValue;
  }

  #newId(): string {
    this.#count += 1;
    return `s${this.#count}`;
  }

  /** A source for a table of the schema; columns that every table has included. */
  #table(relation: Tree): Source {
    const table = textOf(relation.relname);
    const facts = this.tables.get(table);
    const id = this.#newId();
    const name = textOf(treeOf(relation.alias).aliasname) || table;
    const isCatalog =
      ['information_schema', 'pg_catalog'].includes(textOf(relation.schemaname)) || table.startsWith('pg_');
    if (facts === undefined) {
      if (!isCatalog) this.strangers.add(`the table ${table} is not in the schema`);
      return { id, name, columns: null };
    }
    this.used.set(table, facts);
    if (facts.place === 'spread') this.spread.push({ column: `${id}.${SPREAD_BY}`, table, branch: this.#branch });
    return { id, name, columns: facts.columns };
  }

  /** A source whose columns get their values from outputs. */
  #derived(name: string, outputs: readonly Output[], names: readonly string[] = []): Source {
    const id = this.#newId();
    const columns = outputs.map((output, i) => names[i] ?? output.name);
    for (const [i, { column }] of outputs.entries()) {
      if (column !== null) this.equal.join(column, `${id}.${columns[i]}`);
    }
    return { id, name, columns };
  }

  #columnsOf(source: Source): Output[] {
    return (source.columns ?? []).map((name) => ({ name, column: `${source.id}.${name}` }));
  }

  /** The column or value of an expression, and whether it is a column of this query; null for what is computed. */
  #term(node: Tree, scope: Scope): Term | null {
    const [kind, body] = wrapped(node);
    if (kind === 'TypeCast') return this.#term(treeOf(body.arg), scope);
    if (kind === 'ParamRef') {
      const value = `value ${this.#valueOf(Number(body.number))}`;
      this.values.add(value);
      return { name: value, is: 'value' };
    }
    if (kind === 'A_Const' && body.sval !== undefined) {
      const value = `text ${textOf(treeOf(body.sval).sval)}`;
      this.values.add(value);
      return { name: value, is: 'value' };
    }
    if (kind !== 'ColumnRef') return null;
    const path = namesOf(body.fields);
    const name = path.at(-1) ?? '';
    if (PLACES_ON_A_SERVER.has(name)) this.problems.add(`${name} is a place on one server`);
    const owner = path.length > 1 ? path.at(-2) : undefined;
    for (let at: Scope | null = scope; at !== null; at = at.parent) {
      const source = at.sources.find((each) =>
        owner === undefined ? each.columns?.includes(name) === true : each.name === owner,
      );
      if (source !== undefined) return { name: `${source.id}.${name}`, is: at === scope ? 'own' : 'outer' };
    }
    return null;
  }

  /** @param bound the sources that the condition binds; null for all of the scope */
  #link(left: Tree, right: Tree, scope: Scope, bound: ReadonlySet<string> | null): void {
    const [leftKind, leftRow] = wrapped(left);
    const [rightKind, rightRow] = wrapped(right);
    if (leftKind === 'RowExpr' && rightKind === 'RowExpr') {
      const others = listOf(rightRow.args);
      for (const [i, each] of listOf(leftRow.args).entries()) this.#link(each, others[i] ?? {}, scope, bound);
      return;
    }
    const [a, b] = [this.#term(left, scope), this.#term(right, scope)];
    if (a === null || b === null) return;
    if (a.is === 'outer' || b.is === 'outer') this.equal.join(a.name, b.name);
    const mayBind = ({ name, is }: Term) =>
      is === 'own' && (bound === null || bound.has(name.slice(0, name.indexOf('.'))));
    if (mayBind(b) && a.is !== 'outer') this.equal.flow(a.name, b.name);
    if (mayBind(a) && b.is !== 'outer') this.equal.flow(b.name, a.name);
  }

  /** Learns what a condition demands of every row, and looks into everything else in it. */
  #condition(node: Tree, scope: Scope, bound: ReadonlySet<string> | null = null): void {
    const [kind, body] = wrapped(node);
    if (isAnd(kind, body)) {
      for (const each of listOf(body.args)) this.#condition(each, scope, bound);
      return;
    }
    if (kind === 'A_Expr' && body.kind === 'AEXPR_OP' && operatorOf(body) === '=') {
      this.#link(treeOf(body.lexpr), treeOf(body.rexpr), scope, bound);
    }
    if (kind === 'A_Expr' && body.kind === 'AEXPR_IN' && operatorOf(body) === '=') {
      const [only, ...others] = listOf(treeOf(treeOf(body.rexpr).List).items);
      if (only !== undefined && others.length === 0) this.#link(treeOf(body.lexpr), only, scope, bound);
    }
    if (kind === 'SubLink' && body.subLinkType === 'ANY_SUBLINK' && listOf(body.operName).length === 0) {
      const outputs = this.query(treeOf(body.subselect), scope, scope.expressions);
      const [testKind, row] = wrapped(treeOf(body.testexpr));
      const tests = testKind === 'RowExpr' ? listOf(row.args) : [treeOf(body.testexpr)];
      for (const [i, test] of tests.entries()) {
        const [term, output] = [this.#term(test, scope), outputs[i]?.column];
        if (term?.is === 'own' && typeof output === 'string') this.equal.join(output, term.name);
      }
      return;
    }
    this.#look(node, scope);
  }

  /** Finds subqueries, functions and columns anywhere in an expression. */
  #look(node: Tree, scope: Scope): void {
    const [kind, body] = wrapped(node);
    if (kind === 'SubLink') {
      this.query(treeOf(body.subselect), scope, scope.expressions);
      this.#look(treeOf(body.testexpr), scope);
      return;
    }
    if (kind === 'ColumnRef') this.#term(node, scope);
    if (kind === 'CaseExpr' && body.arg !== undefined) this.hasCaseOf = true;
    if (kind === 'FuncCall') this.#function(namesOf(body.funcname).at(-1) ?? '');
    for (const child of childrenOf(node)) this.#look(child, scope);
  }

  #function(name: string): void {
    if (VOLATILE.has(name)) this.isVolatile = true;
    if (name === 'pg_notify') this.problems.add('a notification is heard on one node');
    if (ADVISORY_LOCK.test(name)) this.isVolatile = true;
  }

  /** Adds what FROM names. @returns the ids of the added sources */
  #from(node: Tree, scope: Scope): string[] {
    const [kind, body] = wrapped(node);
    const alias = treeOf(body.alias);
    const name = textOf(alias.aliasname);
    if (kind === 'JoinExpr') return this.#join(body, scope);
    let source: Source;
    if (kind === 'RangeVar') {
      const expression = body.schemaname === undefined ? scope.expressions.get(textOf(body.relname)) : undefined;
      source = expression === undefined ? this.#table(body) : this.#derived(name || textOf(body.relname), expression);
    } else if (kind === 'RangeSubselect') {
      const outer = body.lateral === true ? scope : scope.parent;
      source = this.#derived(
        name,
        this.query(treeOf(body.subquery), outer, scope.expressions),
        namesOf(alias.colnames),
      );
    } else {
      const named = namesOf(alias.colnames);
      const defined = listOf(body.coldeflist).map((each) => textOf(treeOf(each.ColumnDef).colname));
      const columns = named.length > 0 ? named : defined.length > 0 ? defined : [name];
      source = { id: this.#newId(), name, columns };
      this.#look(node, scope);
    }
    scope.sources.push(source);
    return [source.id];
  }

  #join(body: Tree, scope: Scope): string[] {
    const left = this.#from(treeOf(body.larg), scope);
    const right = this.#from(treeOf(body.rarg), scope);
    const bound = {
      JOIN_INNER: null,
      JOIN_LEFT: new Set(right),
      JOIN_RIGHT: new Set(left),
    }[textOf(body.jointype)];
    const binds = bound === undefined ? new Set<string>() : bound;
    this.#condition(treeOf(body.quals), scope, binds);
    if (body.isNatural === true) this.problems.add('a natural join names no column');
    for (const column of namesOf(body.usingClause)) {
      const sideOf = (ids: readonly string[]) =>
        scope.sources.find((source) => ids.includes(source.id) && source.columns?.includes(column) === true);
      const [a, b] = [sideOf(left), sideOf(right)];
      if (a === undefined || b === undefined) continue;
      if (binds === null || binds.has(b.id)) this.equal.flow(`${a.id}.${column}`, `${b.id}.${column}`);
      if (binds === null || binds.has(a.id)) this.equal.flow(`${b.id}.${column}`, `${a.id}.${column}`);
    }
    return [...left, ...right];
  }

  #outputs(targets: unknown, scope: Scope): Output[] {
    return listOf(targets).flatMap((each): Output[] => {
      const target = treeOf(each.ResTarget);
      const value = treeOf(target.val);
      const [kind, body] = wrapped(value);
      const fields = listOf(body.fields);
      if (kind === 'ColumnRef' && fields.at(-1)?.A_Star !== undefined) {
        const [owner] = fields.length > 1 ? namesOf(fields) : [];
        return scope.sources
          .filter((source) => owner === undefined || source.name === owner)
          .flatMap((source) => this.#columnsOf(source));
      }
      this.#look(value, scope);
      const last = kind === 'ColumnRef' ? namesOf(body.fields).at(-1) : namesOf(body.funcname).at(-1);
      return [{ name: textOf(target.name) || (last ?? '?column?'), column: this.#term(value, scope)?.name ?? null }];
    });
  }

  #with(body: Tree, parent: Scope | null, outer: Scope['expressions']): Scope['expressions'] {
    const expressions = new Map(outer);
    for (const each of listOf(treeOf(body.withClause).ctes)) {
      const expression = treeOf(each.CommonTableExpr);
      const inner = treeOf(expression.ctequery);
      if (wrapped(inner)[0] === 'InsertStmt') this.isTakenApart = true;
      if (treeOf(body.withClause).recursive === true) this.problems.add('a recursive WITH');
      expressions.set(textOf(expression.ctename), this.query(inner, parent, expressions));
    }
    return expressions;
  }

  /** Analyses a query or a change with everything in it. @returns its columns */
  query(node: Tree, parent: Scope | null, outer: Scope['expressions']): readonly Output[] {
    const [kind, body] = wrapped(node);
    if (kind === 'SelectStmt') return this.#select(body, parent, outer);
    const expressions = this.#with(body, parent, outer);
    const scope: Scope = { sources: [], parent, expressions };
    this.writes = true;
    const target = this.#table(treeOf(body.relation));
    scope.sources.push(target);
    if (kind === 'InsertStmt') this.#insert(body, scope, target);
    for (const each of listOf(body.fromClause ?? body.usingClause)) this.#from(each, scope);
    this.#condition(treeOf(body.whereClause), scope);
    if (kind === 'UpdateStmt') this.#set(body.targetList, scope, target);
    return this.#outputs(body.returningList ?? treeOf(body.returningClause).exprs, scope);
  }

  #select(body: Tree, parent: Scope | null, outer: Scope['expressions']): readonly Output[] {
    const expressions = this.#with(body, parent, outer);
    if (listOf(body.lockingClause).length > 0) this.locks = true;
    if (textOf(body.op) !== '' && body.op !== 'SETOP_NONE') {
      const former = this.#branch;
      const branches = [body.larg, body.rarg].map((side, i) => {
        this.#branch = `${former} ${this.#newId()} ${i}`;
        return this.#select(treeOf(side), parent, expressions);
      });
      this.#branch = former;
      return this.#merged(branches);
    }
    const scope: Scope = { sources: [], parent, expressions };
    const rows = listOf(body.valuesLists).map((row) =>
      listOf(treeOf(row.List).items).map((value, i): Output => {
        this.#look(value, scope);
        return { name: `column${i + 1}`, column: this.#term(value, scope)?.name ?? null };
      }),
    );
    if (rows.length > 0) return this.#merged(rows);
    for (const each of listOf(body.fromClause)) this.#from(each, scope);
    this.#condition(treeOf(body.whereClause), scope);
    const outputs = this.#outputs(body.targetList, scope);
    const { groupClause, havingClause, sortClause, limitCount, limitOffset, windowClause, distinctClause } = body;
    for (const part of [groupClause, sortClause, windowClause, distinctClause].flatMap(listOf)) this.#look(part, scope);
    for (const part of [havingClause, limitCount, limitOffset]) this.#look(treeOf(part), scope);
    return outputs;
  }

  #merged(branches: readonly (readonly Output[])[]): readonly Output[] {
    return (branches[0] ?? []).map(({ name }, i) => {
      const column = `${this.#newId()}.${name}`;
      this.equal.merge(
        branches.map((branch) => branch[i]?.column ?? null),
        column,
      );
      return { name, column };
    });
  }

  #insert(body: Tree, scope: Scope, target: Source): void {
    const facts = this.tables.get(textOf(treeOf(body.relation).relname));
    const named = listOf(body.cols).map((each) => textOf(treeOf(each.ResTarget).name));
    const columns = named.length > 0 ? named : (facts?.columns ?? []);
    const select = treeOf(treeOf(body.selectStmt).SelectStmt);
    const isOfValues = listOf(select.valuesLists).length > 0;
    if (isOfValues && hasSubquery(select)) this.problems.add('a subquery among the VALUES of an INSERT');
    if (scope.expressions.size > 0) this.isTakenApart = true;
    const { length: before } = this.spread;
    const outputs = this.query(treeOf(body.selectStmt), scope.parent, scope.expressions);
    if (!isOfValues && this.spread.length === before) this.isTakenApart = true;
    for (const [i, { column }] of outputs.entries()) {
      if (column !== null) this.equal.flow(column, `${target.id}.${columns[i]}`);
    }
    const conflict = treeOf(body.onConflictClause);
    if (Object.keys(conflict).length === 0) return;
    const infer = treeOf(conflict.infer);
    const of = listOf(infer.indexElems).map((each) => textOf(treeOf(each.IndexElem).name));
    if (facts?.place === 'spread' && of.length > 0 && !of.includes(SPREAD_BY)) {
      this.problems.add(`ON CONFLICT (${of.join(', ')}) without ${SPREAD_BY}`);
    }
    const excluded: Scope = { ...scope, sources: [target, { ...target, name: 'excluded' }] };
    this.#set(conflict.targetList, excluded, target);
    this.#look(treeOf(conflict.whereClause), excluded);
  }

  #set(targets: unknown, scope: Scope, target: Source): void {
    for (const each of listOf(targets)) {
      const { name, val } = treeOf(each.ResTarget);
      const isSpread = this.spread.some(({ column }) => column === `${target.id}.${SPREAD_BY}`);
      // `merge` of all columns sets it to what it is.
      const isSame = namesOf(treeOf(treeOf(val).ColumnRef).fields).join('.') === `excluded.${SPREAD_BY}`;
      if (name === SPREAD_BY && isSpread && !isSame) this.problems.add(`a row gets another ${SPREAD_BY}`);
      this.#look(treeOf(val), scope);
    }
  }
}

const session = (place: Place, ...problems: readonly string[]): Route => ({
  place,
  tables: [],
  problems,
  isTakenApart: false,
});

const hasSubquery = (node: Tree): boolean => wrapped(node)[0] === 'SubLink' || childrenOf(node).some(hasSubquery);

/**
 * Finds out where a statement runs in a PostgreSQL whose tables are spread by account.
 * @param sameAs the first parameter whose value a parameter always has; from 1. Default: all differ
 * @throws SqlError for what PostgreSQL cannot parse
 */
export function routeOf(sql: string, tables: Tables, sameAs: (parameter: number) => number = (own) => own): Route {
  const statements = statementsOf(sql);
  if (statements.length !== 1) return session('everywhere', 'several statements in one');
  const [statement = {}] = statements;
  const [kind] = wrapped(statement);
  if (OF_THE_SESSION.has(kind)) return session('anywhere');
  if (!READS.has(kind) && !WRITES.has(kind)) {
    return session('everywhere', `a ${kind} is no query`);
  }
  const analysis = new Analysis(tables, (parameter) => String(sameAs(parameter)));
  analysis.query(statement, null, new Map());
  return judge(analysis);
}

function judge({
  equal,
  values,
  spread,
  used,
  problems,
  strangers,
  writes,
  locks,
  isVolatile,
  isTakenApart,
  hasCaseOf,
}: Analysis): Route {
  const places = new Set([...used.values()].map(({ place }) => place));
  const names = [...used].flatMap(([name, { place }]) => (place === 'key-store' ? [] : [name]));
  const of = (place: Place, ...more: readonly string[]): Route => ({
    place,
    tables: names.sort(),
    problems: [...problems, ...strangers, ...more],
    isTakenApart,
  });
  if (places.size > 1) return of('everywhere', `tables of different places: ${[...used.keys()].join(', ')}`);
  if (spread.length === 0) {
    // What only spread tables forbid.
    problems.clear();
    const [only] = places;
    return of(only === undefined || only === 'spread' ? 'anywhere' : only);
  }
  if (isVolatile && writes) problems.add('a function whose result may differ from node to node');
  // Citus 13 writes the condition of each branch twice when it sends such a change on.
  if (hasCaseOf && writes) problems.add('a CASE of a value in a change: take CASE WHEN value = …');
  const known = equal.solve(values);
  const [first, ...others] = spread.map(({ column }) => known.get(column) ?? new Set<string>());
  const isOne = [...(first ?? [])].some((value) => others.every((all) => all.has(value)));
  if (isOne) return of('account');
  const more = new Set<string>();
  if (writes) more.add('writes rows of several accounts');
  if (locks) more.add('locks rows of several accounts');
  const groupOf = equal.groups();
  for (const branch of new Set(spread.map((use) => use.branch))) {
    const groups = new Set(spread.filter((use) => use.branch === branch).map(({ column }) => groupOf(column)));
    if (groups.size > 1) more.add(`joins ${spread.map(({ table }) => table).join(', ')} beyond the account`);
  }
  return of('everywhere', ...more);
}
