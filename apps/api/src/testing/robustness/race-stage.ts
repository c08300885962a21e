import type pg from 'pg';
import { expect } from 'vitest';
import { composeAdmin } from '../../compose/admin.ts';
import { enrolBody } from '../enrolment-fixture.ts';
import { createFakeInference, type FakeInference } from '../fake-inference.ts';
import {
  type Answer,
  createManualClock,
  type ManualClock,
  requestJson,
  startTestApi,
  type TestApi,
  type TestCustomer,
} from '../test-api.ts';
import type { Deployment } from './partial-writes.ts';
import type { Body } from './retrying-caller.ts';

/** Nodes on one database, with access to their internals. */
export interface RaceStage {
  readonly first: TestApi;
  /** URLs of the nodes. */
  readonly urls: readonly string[];
  readonly deployment: Deployment;
  readonly inference: FakeInference;
  readonly clock: ManualClock;
  /** Rows of one statement, on an open connection. */
  rows<Row>(sql: string, ...values: unknown[]): Promise<Row[]>;
  close(): Promise<void>;
}

/** @param nodes number of nodes */
export async function startRaceStage(
  postgres: pg.ClientConfig,
  nodes: number,
  environment: Record<string, string> = {},
): Promise<RaceStage> {
  const clock = createManualClock();
  const inference = createFakeInference();
  const parts = { clock, createInference: () => inference };
  const few = { SVC_DATABASE_CONNECTIONS: '5', ...environment };
  const first = await startTestApi(postgres, parts, few);
  const { databaseUrl, dataDirectory } = first.config;
  const shared = { ...few, DATABASE_URL: databaseUrl ?? '', SVC_DATA_DIR: dataDirectory };
  const others: TestApi[] = [];
  while (others.length + 1 < nodes) others.push(await startTestApi(postgres, parts, shared));
  const deployment = await composeAdmin(first.config, { clock });
  return {
    first,
    urls: [first, ...others].map(({ url }) => url),
    deployment,
    inference,
    clock,
    async rows<Row>(sql: string, ...values: unknown[]) {
      return (await deployment.database.connection.raw<{ rows: Row[] }>(sql, values as string[])).rows;
    },
    async close() {
      await deployment.close();
      for (const api of others) await api.close();
      await first.close();
    },
  };
}

/** An account's server that alternates between the nodes. */
export interface Caller {
  readonly customer: TestCustomer;
  post(path: string, body?: object, headers?: Record<string, string>): Promise<Answer<Body>>;
  delete(path: string): Promise<Answer<Body>>;
  /** @param image its text determines the photo's outcome */
  enrol(listId: string, personId: string, image?: string): Promise<Answer<Body>>;
}

export async function createCaller({ first, urls, clock }: RaceStage): Promise<Caller> {
  const customer = await first.customer({ country: 'DE' });
  let turn = 0;
  function send(method: string, path: string, body?: object, headers: Record<string, string> = {}) {
    turn += 1;
    return requestJson<Body>(`${urls[turn % urls.length]}${path}`, {
      method,
      headers: { 'X-Api-Key': customer.apiKey, 'Content-Type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  }
  return {
    customer,
    post: (path, body, headers) => send('POST', path, body, headers),
    delete: (path) => send('DELETE', path),
    enrol: (listId, personId, image) =>
      send('POST', `/v1/lists/${listId}/people`, enrolBody(clock, { personId, ...(image && { image }) })),
  };
}

/** No status from 500 on is acceptable except 503, a rejection under load. */
export function expectNoFault(answers: readonly { readonly status: number }[]): void {
  expect(answers.map(({ status }) => status).filter((status) => status >= 500 && status !== 503)).toEqual([]);
}
