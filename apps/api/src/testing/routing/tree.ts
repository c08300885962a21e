import { loadModule, parseSync } from 'libpg-query';

/** A node of PostgreSQL's parse tree, as libpg-query writes it in JSON. */
export type Tree = Readonly<Record<string, unknown>>;

const NONE: Tree = {};

/** An empty tree for what is missing. */
export const treeOf = (value: unknown): Tree =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Tree) : NONE;

export const listOf = (value: unknown): readonly Tree[] => (Array.isArray(value) ? value.map(treeOf) : []);

export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Takes `{ SelectStmt: { … } }` apart; an empty kind for what is missing. */
export function wrapped(node: Tree): readonly [kind: string, body: Tree] {
  const [entry] = Object.entries(node);
  return entry === undefined ? ['', NONE] : [entry[0], treeOf(entry[1])];
}

/** The trees directly below a node. */
export const childrenOf = (node: Tree): readonly Tree[] =>
  Object.values(node).flatMap((value) => (Array.isArray(value) ? listOf(value) : [treeOf(value)]));

await loadModule();

/**
 * Parses with the grammar of PostgreSQL 15, the oldest that the service runs on.
 * @throws SqlError for what PostgreSQL cannot parse
 */
export const statementsOf = (sql: string): readonly Tree[] =>
  listOf(treeOf(parseSync(sql)).stmts).map(({ stmt }) => treeOf(stmt));
