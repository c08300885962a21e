import { createHash } from 'node:crypto';

/** More than the service uses; bounds the server's memory if a statement's text varies with data. */
const MOST_NAMES = 300;
/**
 * A migration that adds a column changes the result of such a statement, and PostgreSQL then rejects the prepared one.
 */
const ALL_COLUMNS = /[\s,.]\*(?=[\s,]|$)/;

/** Names for frequent statements, which are then parsed and planned per connection instead of per request. */
export class StatementNames {
  readonly #names = new Map<string, string>();

  /** @returns null for a statement that stays unnamed */
  of(text: string): string | null {
    const known = this.#names.get(text);
    if (known !== undefined) return known;
    if (this.#names.size >= MOST_NAMES || ALL_COLUMNS.test(text)) return null;
    const name = `svc_${createHash('sha256').update(text).digest('base64url').slice(0, 32)}`;
    this.#names.set(text, name);
    return name;
  }
}

interface Statement {
  readonly text: string;
  readonly values?: readonly unknown[];
}

/** The used part of a node-postgres connection. */
export interface PreparingConnection {
  /** As sent by the server at connection start. */
  readonly processID?: number | null;
  query: (statement: never, ...rest: never[]) => unknown;
}

/**
 * Makes a new connection prepare its statements, if it is a session. A pooler in transaction mode reports a process id
 * of its own and sends each transaction to any free server process, where nothing was prepared.
 * @param pid of the process that answered its first query
 */
export function prepareStatements(connection: PreparingConnection, names: StatementNames, pid: number): void {
  if (pid !== connection.processID) return;
  const query = connection.query.bind(connection) as (statement: string | Statement, ...rest: unknown[]) => unknown;
  const named = (statement: string | Statement, ...rest: unknown[]) => {
    const hasValues = typeof statement === 'object' && statement.values !== undefined && statement.values.length > 0;
    const name = hasValues ? names.of(statement.text) : null;
    return query(name === null ? statement : Object.assign({ name }, statement), ...rest);
  };
  connection.query = named as PreparingConnection['query'];
}
