import pg from 'pg';

/**
 * Tables whose rows are of people, or are keys; and the planner's statistics, which quote values. Their deleted rows
 * lie in files until these are rewritten.
 */
const TABLES = [
  ...['people', 'faces', 'face_removals', 'consents', 'enrolment_tokens', 'idempotent_requests', 'webhook_deliveries'],
  ...['wrapped_keys', 'erasures', 'pg_statistic'],
] as const;

/** Nobody waits longer than this behind a rewrite that waits for its turn. */
const LOCK_TIMEOUT_MS = 2_000;

const CHANGES = `
SELECT relname AS name, (n_tup_del + n_tup_upd)::text AS changes
FROM pg_stat_all_tables WHERE relname = ANY ($1) AND schemaname IN ('public', 'pg_catalog')`;

/** What was deleted goes out of a cluster's files: rows that are dead, the write-ahead log that wrote them down. */
export class Scrubber {
  readonly #target: pg.ClientConfig;
  /** Rows of each table that were changed or deleted by the time of its last rewrite here. */
  readonly #seen = new Map<string, string>();

  constructor(target: pg.ClientConfig) {
    this.#target = target;
  }

  /**
   * Rewrites the tables that have lost rows since the last time, begins a new file of the log and lets the older ones
   * go. Each rewrite keeps readers off its table for as long as it takes, about a second for 100,000 people.
   * @throws Error when a table was in use for two seconds on end; what is left is done the next time
   */
  async scrub(): Promise<void> {
    const client = new pg.Client({ ...this.#target, application_name: 'svc-scrubber' });
    client.on('error', () => undefined);
    await client.connect();
    try {
      await client.query(`SET statement_timeout = 0; SET lock_timeout = ${LOCK_TIMEOUT_MS}`);
      const { rows } = await client.query<{ name: string; changes: string }>(CHANGES, [TABLES]);
      const changed = rows.filter(({ name, changes }) => this.#seen.get(name) !== changes);
      for (const { name, changes } of changed) {
        await client.query(`VACUUM (FULL) ${pg.escapeIdentifier(name)}`);
        // As counted before the rewrite: what it may have missed has it done again.
        this.#seen.set(name, changes);
      }
      await client.query('SELECT pg_switch_wal()');
      await client.query('CHECKPOINT');
    } finally {
      await client.end();
    }
  }
}
