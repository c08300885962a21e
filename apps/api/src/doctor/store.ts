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

const FACTS = `
SELECT current_setting('server_version') AS version,
  current_setting('server_version_num')::int AS "versionNumber",
  clock_timestamp() AS now,
  current_setting('log_parameter_max_length_on_error') <> '0'
    OR current_setting('log_parameter_max_length') <> '0' AND (
      current_setting('log_statement') <> 'none'
      OR current_setting('log_min_duration_statement') <> '-1'
      OR current_setting('log_min_duration_sample') <> '-1') AS "logsValues"`;

/** Reads only. */
export function createDoctorStore(connection: Connection) {
  return {
    facts: async (): Promise<DatabaseFacts> => (await connection.raw<{ rows: [DatabaseFacts] }>(FACTS)).rows[0],
    /** Names of the applied migrations; null when there is no schema yet. */
    async applied(table: 'schema_migrations' | 'key_store_migrations'): Promise<string[] | null> {
      if (!(await connection.schema.hasTable(table))) return null;
      return connection(table).pluck('name');
    },
  };
}
