import { afterAll, beforeAll, beforeEach, inject } from 'vitest';
import { composeAdmin } from '../compose/admin.ts';
import { recurringJobs } from '../compose/background.ts';
import type { ApiParts } from '../compose/parts.ts';
import type { Services } from '../compose/services.ts';
import { type Database, openDatabase } from '../db/connection.ts';
import { createFakeInference } from './fake-inference.ts';
import { createMigratedDatabase } from './postgres.ts';
import { createManualClock, startTestApi, type TestApi, type TestCustomer } from './test-api.ts';
import { createStage, type WidgetStage } from './widget-fixture.ts';

/** A database with all migrations for all tests of a file, as its owner uses it. */
export function useDatabase(): Database {
  const database = {} as Database;
  beforeAll(async () => {
    const connectionString = await createMigratedDatabase(inject('postgres'));
    Object.assign(database, openDatabase({ target: { connectionString } }));
  });
  afterAll(() => database.close());
  return database;
}

/**
 * An API for all tests of a file, with its database, a clock and inference of the tests' own, and a new customer for each test. The
 * returned objects are filled before the tests run.
 */
export function useApi(
  o: ApiParts & {
    readonly environment?: Record<string, string>;
    /** Null: none. */
    readonly customer?: Parameters<TestApi['customer']>[0] | null;
  } = {},
) {
  const { environment = {}, customer: account = { country: 'DE' }, ...parts } = o;
  const [api, customer, database] = [{} as TestApi, {} as TestCustomer, {} as Database];
  const [clock, inference] = [createManualClock(), createFakeInference()];
  beforeAll(async () => {
    const own = { createInference: () => inference, clock };
    Object.assign(api, await startTestApi(inject('postgres'), { ...own, ...parts }, environment));
    Object.assign(database, openDatabase({ target: { connectionString: api.ownerUrl } }));
  });
  afterAll(async () => {
    await database.close();
    await api.close();
  });
  beforeEach(async () => {
    Object.assign(inference, { hold: null, places: 1_000 });
    clock.advance(1);
    if (account !== null) Object.assign(customer, await api.customer(account));
  });
  return { api, database, clock, inference, customer };
}

/** As {@link useApi}, with an event, its widget settings and its list for each test. */
export function useStage(o: Parameters<typeof useApi>[0] = {}) {
  const used = useApi(o);
  const stage = {} as WidgetStage;
  beforeEach(async () => {
    Object.assign(stage, await createStage(used.customer, used.clock));
  });
  return { ...used, stage };
}

/** The services of another node on an API's database, without HTTP, for all tests of a file. */
export function useServices(api: Pick<TestApi, 'config'>, parts: ApiParts) {
  const services = {} as Awaited<ReturnType<typeof composeAdmin>>;
  beforeAll(async () => void Object.assign(services, await composeAdmin(api.config, parts)));
  afterAll(() => services.close());
  return services;
}

/** Runs every recurring job once. */
export async function runJobs(services: Services): Promise<void> {
  for (const job of recurringJobs(services)) await job.run();
}
