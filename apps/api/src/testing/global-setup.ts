import process from 'node:process';
import type { TestProject } from 'vitest/node';
import { startTestPgBouncer } from './pgbouncer.ts';
import { startTestPostgres } from './postgres.ts';

/** One PostgreSQL for the whole run; with `SVC_TEST_PGBOUNCER=1` behind a PgBouncer in transaction mode. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const postgres = await startTestPostgres();
  const pooler = process.env.SVC_TEST_PGBOUNCER === '1' ? await startTestPgBouncer(postgres.target) : null;
  project.provide('postgres', pooler?.target ?? postgres.target);
  return async () => {
    await pooler?.stop();
    await postgres.stop();
  };
}
