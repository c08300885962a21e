import type { Connection } from '../db/connection.ts';

/** The right to run a job, until the lease ends. */
export interface TakenJob {
  readonly name: string;
  /** Unique to this run. */
  readonly takenBy: string;
}

export interface JobStore {
  /** Registers the jobs; new ones are due at once. */
  register(names: readonly string[], now: Date): Promise<void>;
  /** Takes the job that has been due longest. Jobs of other nodes are skipped until their lease ends. */
  take(names: readonly string[], takenBy: string, now: Date, leaseUntil: Date): Promise<TakenJob | null>;
  /** @returns false when the lease was lost to another node */
  extend(job: TakenJob, leaseUntil: Date): Promise<boolean>;
  /** Does nothing when the lease was lost. */
  done(job: TakenJob, at: Date, dueAt: Date): Promise<void>;
  /** As {@link done}, for a failed run. */
  failed(job: TakenJob, dueAt: Date): Promise<void>;
  /** As {@link done}, for an unfinished run: the job is due again at once. */
  handBack(job: TakenJob, now: Date): Promise<void>;
}

const TAKE = `
WITH due AS (
  SELECT name FROM recurring_jobs WHERE name = ANY (CAST(:names AS text[])) AND due_at <= :now
  ORDER BY due_at LIMIT 1 FOR UPDATE SKIP LOCKED
)
UPDATE recurring_jobs job SET taken_by = :takenBy, due_at = :leaseUntil
FROM due WHERE job.name = due.name
RETURNING job.name`;

export function createJobStore(connection: Connection): JobStore {
  const held = ({ name, takenBy }: TakenJob) => connection('recurring_jobs').where({ name, taken_by: takenBy });
  return {
    async register(names, now) {
      const rows = names.map((name) => ({ name, due_at: now }));
      await connection('recurring_jobs').insert(rows).onConflict('name').ignore();
    },
    async take(names, takenBy, now, leaseUntil) {
      const bindings = { names: [...names], takenBy, now, leaseUntil };
      const result = await connection.raw<{ rows: { name: string }[] }>(TAKE, bindings);
      const [row] = result.rows;
      return row === undefined ? null : { name: row.name, takenBy };
    },
    extend: async (job, leaseUntil) => (await held(job).update({ due_at: leaseUntil })) === 1,
    async done(job, at, dueAt) {
      await held(job).update({ taken_by: null, due_at: dueAt, last_done_at: at, failures: 0 });
    },
    async failed(job, dueAt) {
      await held(job).update({ taken_by: null, due_at: dueAt, failures: connection.raw('failures + 1') });
    },
    async handBack(job, now) {
      await held(job).update({ taken_by: null, due_at: now });
    },
  };
}
