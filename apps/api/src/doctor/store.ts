import type { Connection } from '../db/connection.ts';

/** Facts that a database reports about itself. */
export interface DatabaseFacts {
  /** For display, such as `16.4`. */
  readonly version: string;
  /** Such as 160004. */
  readonly versionNumber: number;
  /** The database's clock. */
  readonly now: Date;
  /** Whether its log may contain statement values, and so personIds. */
  readonly logsValues: boolean;
}

interface FactsRow {
  readonly version: string;
  readonly version_number: string;
  readonly now: Date;
  readonly logs_statements: boolean;
  readonly on_statement: string;
  readonly on_error: string;
}

const FACTS = `
SELECT current_setting('server_version') AS version,
  current_setting('server_version_num') AS version_number,
  clock_timestamp() AS now,
  current_setting('log_statement') <> 'none'
    OR current_setting('log_min_duration_statement') <> '-1'
    OR current_setting('log_min_duration_sample') <> '-1' AS logs_statements,
  current_setting('log_parameter_max_length') AS on_statement,
  current_setting('log_parameter_max_length_on_error') AS on_error`;

/** Reads only. */
export function createDoctorStore(connection: Connection) {
  return {
    async facts(): Promise<DatabaseFacts> {
      const result = await connection.raw<{ rows: [FactsRow] }>(FACTS);
      const [row] = result.rows;
      return {
        version: row.version,
        versionNumber: Number(row.version_number),
        now: row.now,
        logsValues: (row.logs_statements && row.on_statement !== '0') || row.on_error !== '0',
      };
    },
    /** Names of the applied migrations; null when there is no schema yet. */
    async applied(table: 'schema_migrations' | 'key_store_migrations'): Promise<string[] | null> {
      if (!(await connection.schema.hasTable(table))) return null;
      return connection(table).pluck('name');
    },
  };
}
