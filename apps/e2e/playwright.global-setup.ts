import { startTestPostgres } from '@svc/api/testing';

/** One PostgreSQL per run, which its workers find in their environment. */
export default async function globalSetup(): Promise<() => Promise<void>> {
  const postgres = await startTestPostgres();
  process.env.SVC_TEST_POSTGRES = JSON.stringify(postgres.target);
  return () => postgres.stop();
}
