import type { startTestApi } from '@svc/api/testing';
import { inject } from 'vitest';

/** The PostgreSQL of this run: Playwright's global setup leaves it in the environment, vitest's provides it. */
export function postgresOfRun(): Parameters<typeof startTestApi>[0] {
  const { SVC_TEST_POSTGRES: given } = process.env;
  return given === undefined ? inject('postgres') : JSON.parse(given);
}
