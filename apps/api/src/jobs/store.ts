import type { Connection } from '../db/connection.ts';

/** The right to run a job, until the lease ends. */
export interface TakenJob {
  readonly name: string;
  /** Of this run alone. */
  readonly takenBy: string;
}

export interface JobStore {
  /** Makes the jobs known; those that are new are due at once. */
  register(names: readonly string[], now: Date): Promise<void>;
  /** Takes the job that has been due the longest. What another node has taken is left to it until its lease ends. */
  take(names: readonly string[], takenBy: string, now: Date, leaseUntil: Date): Promise<TakenJob | null>;
  /** @returns false when the lease was lost to another node */
  extend(job: TakenJob, leaseUntil: Date): Promise<boolean>;
  /** Nothing happens when the lease was lost meanwhile. */
  done(job: TakenJob, at: Date, dueAt: Date): Promise<void>;
  /** As {@link done}, for a run that failed. */
  failed(job: TakenJob, dueAt: Date): Promise<void>;
  /** As {@link done}, for a run that did not come to its end: the job is due again at once. */
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
