import pg from 'pg';

/** The rows of every table, as JSON text by table. Tables without rows are absent. */
export type Rows = ReadonlyMap<string, string>;

interface Table {
  readonly name: string;
  /** Those that can be written. */
  readonly columns: string;
}

const TABLES = `SELECT c.oid::regclass::text AS name, string_agg(quote_ident(a.attname), ', ' ORDER BY a.attnum) AS columns
FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace GROUP BY c.oid`;

/** A database whose content is read and replaced as a whole: milliseconds for a few rows. */
export class DatabaseCopy {
  readonly url: string;
  readonly #client: pg.Client;
  readonly #tables: readonly Table[];

  private constructor(url: string, client: pg.Client, tables: readonly Table[]) {
    [this.url, this.#client, this.#tables] = [url, client, tables];
  }

  /** @param url of a migrated database, as a superuser */
  static async open(url: string): Promise<DatabaseCopy> {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    // Without triggers and foreign keys.
    await client.query("SET session_replication_role = 'replica'");
    const { rows } = await client.query<Table>(TABLES);
    return new DatabaseCopy(url, client, rows);
  }

  async read(): Promise<Rows> {
    const each = this.#tables.map(({ name }) => `SELECT '${name}' AS name, json_agg(t)::text AS rows FROM ${name} t`);
    const { rows } = await this.#client.query<{ name: string; rows: string | null }>(each.join(' UNION ALL '));
    return new Map(rows.flatMap(({ name, rows }) => (rows === null ? [] : [[name, rows] as const])));
  }

  /** Replaces everything in one transaction. */
  async write(rows: Rows): Promise<void> {
    const statements = this.#tables.flatMap(({ name, columns }) => {
      const held = rows.get(name);
      const emptied = `DELETE FROM ${name}`;
      if (held === undefined) return [emptied];
      const from = `json_populate_recordset(NULL::${name}, ${pg.escapeLiteral(held)})`;
      return [emptied, `INSERT INTO ${name} (${columns}) OVERRIDING SYSTEM VALUE SELECT ${columns} FROM ${from}`];
    });
    await this.#client.query(statements.join(';\n'));
  }

  close(): Promise<void> {
    return this.#client.end();
  }
}
