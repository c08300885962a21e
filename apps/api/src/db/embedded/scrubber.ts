import pg from 'pg';

/**
 * Tables with people's data or keys, and the planner's statistics, which quote values. Deleted rows stay in their files
 * until these are rewritten.
 */
const TABLES = [
  ...['people', 'faces', 'face_removals', 'consents', 'enrolment_tokens', 'idempotent_requests', 'webhook_deliveries'],
  ...['wrapped_keys', 'erasures', 'pg_statistic'],
] as const;

/** Longest wait for a table's lock, since queries queue behind it. */
const LOCK_TIMEOUT_MS = 2_000;

const CHANGES = `
SELECT relname AS name, (n_tup_del + n_tup_upd)::text AS changes
FROM pg_stat_all_tables WHERE relname = ANY ($1) AND schemaname IN ('public', 'pg_catalog')`;

/** Removes deleted data from a cluster's files: dead rows and the write-ahead log. */
export class Scrubber {
  readonly #target: pg.ClientConfig;
  /** Changed and deleted rows of each table at its last rewrite by this process. */
  readonly #seen = new Map<string, string>();

  constructor(target: pg.ClientConfig) {
    this.#target = target;
  }

  /**
   * Rewrites tables with rows deleted since the last time, switches to a new log file and removes the older ones. A
   * rewrite blocks readers of its table, about one second per 100,000 people.
   * @throws Error when a table was locked for two seconds; the next call completes the work
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
        // Counted before the rewrite: a change during it causes another rewrite.
        this.#seen.set(name, changes);
      }
      await client.query('SELECT pg_switch_wal()');
      await client.query('CHECKPOINT');
    } finally {
      await client.end();
    }
  }
}
