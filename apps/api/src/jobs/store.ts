import type { Connection } from '../db/connection.ts';

/** The right to run a job, until the lease ends. */
export interface TakenJob {
  readonly name: string;
  /** Unique to this run. */
  readonly takenBy: string;
  readonly dueAt: Date;
  /** Null before its first run. */
  readonly lastDoneAt: Date | null;
}

export type JobStore = ReturnType<typeof createJobStore>;

const TAKE = `
WITH due AS (
  SELECT name, due_at FROM recurring_jobs WHERE name = ANY (CAST(:names AS text[])) AND due_at <= :now
  ORDER BY due_at LIMIT 1 FOR UPDATE SKIP LOCKED
)
UPDATE recurring_jobs job SET taken_by = :takenBy, due_at = :leaseUntil
FROM due WHERE job.name = due.name
RETURNING job.name, due.due_at AS "dueAt", job.last_done_at AS "lastDoneAt"`;

export function createJobStore(connection: Connection) {
  const held = ({ name, takenBy }: TakenJob) => connection('recurring_jobs').where({ name, taken_by: takenBy });
  return {
    /** Registers the jobs; due at once are new ones, and those of each start that no node is running. */
    async register(jobs: readonly { readonly name: string; readonly atStart?: boolean }[], now: Date): Promise<void> {
      const rows = jobs.map(({ name }) => ({ name, due_at: now }));
      await connection('recurring_jobs').insert(rows).onConflict('name').ignore();
      const atStart = jobs.filter((job) => job.atStart).map(({ name }) => name);
      await connection('recurring_jobs').whereIn('name', atStart).whereNull('taken_by').update({ due_at: now });
    },
    /** Takes the job that has been due longest. Jobs of other nodes are skipped until their lease ends. */
    async take(names: readonly string[], takenBy: string, now: Date, leaseUntil: Date): Promise<TakenJob | null> {
      const bindings = { names: [...names], takenBy, now, leaseUntil };
      const result = await connection.raw<{ rows: Omit<TakenJob, 'takenBy'>[] }>(TAKE, bindings);
      const [row] = result.rows;
      return row === undefined ? null : { ...row, takenBy };
    },
    /** @returns false when the lease was lost to another node */
    extend: async (job: TakenJob, leaseUntil: Date): Promise<boolean> =>
      (await held(job).update({ due_at: leaseUntil })) === 1,
    /** Does nothing when the lease was lost. */
    async done(job: TakenJob, at: Date, dueAt: Date): Promise<void> {
      await held(job).update({ taken_by: null, due_at: dueAt, last_done_at: at, failures: 0 });
    },
    /** As {@link done}, for a failed run. */
    async failed(job: TakenJob, dueAt: Date): Promise<void> {
      await held(job).update({ taken_by: null, due_at: dueAt, failures: connection.raw('failures + 1') });
    },
    /** As {@link done}, for an unfinished run: the job is due again at once. */
    async handBack(job: TakenJob, now: Date): Promise<void> {
      await held(job).update({ taken_by: null, due_at: now });
    },
  };
}
