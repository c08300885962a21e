import type { TestProject } from 'vitest/node';
import { startTestPostgres } from './postgres.ts';

/** One PostgreSQL for the whole run. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const postgres = await startTestPostgres();
  project.provide('postgres', postgres.target);
  return () => postgres.stop();
}
