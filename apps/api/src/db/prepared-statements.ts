import { createHash } from 'node:crypto';

/** More than the service has; a statement whose text varies with its data must not fill the server's memory. */
const MOST_NAMES = 300;
/**
 * What such a statement answers changes when a migration adds a column, and PostgreSQL then refuses the one that was
 * prepared.
 */
const ALL_COLUMNS = /[\s,.]\*(?=[\s,]|$)/;

/**
 * Names for the statements that are worth one: what bears a name is parsed and planned once a connection, not once a
 * request.
 */
export class StatementNames {
  readonly #names = new Map<string, string>();

  /** @returns null for a statement that stays without */
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

/** What is used of a connection of node-postgres. */
export interface PreparingConnection {
  /** As the server introduced itself. */
  readonly processID?: number | null;
  query: (statement: never, ...rest: never[]) => unknown;
}

/**
 * Makes a new connection prepare its statements, if it is a session: a pooler in transaction mode introduces itself by
 * a number of its own making and hands each transaction to whichever server process is free, where nothing was
 * prepared.
 */
export async function prepareStatements(connection: PreparingConnection, names: StatementNames): Promise<void> {
  const query = connection.query.bind(connection) as (statement: string | Statement, ...rest: unknown[]) => unknown;
  const { rows } = (await query('SELECT pg_backend_pid() AS pid')) as { rows: readonly { readonly pid: number }[] };
  if (rows[0]?.pid !== connection.processID) return;
  const named = (statement: string | Statement, ...rest: unknown[]) => {
    const hasValues = typeof statement === 'object' && statement.values !== undefined && statement.values.length > 0;
    const name = hasValues ? names.of(statement.text) : null;
    return query(name === null ? statement : Object.assign({ name }, statement), ...rest);
  };
  connection.query = named as PreparingConnection['query'];
}
