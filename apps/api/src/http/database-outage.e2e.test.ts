import { connect, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, it, vi } from 'vitest';
import {
  createFakeInference,
  createTestDatabase,
  oneNodeOnly,
  startTestApi,
  type TestApi,
  type TestCustomer,
} from '../testing/index.ts';

/** A TCP proxy between service and database that can be cut. */
class Wire {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  answers = true;

  constructor(socketPath: string) {
    this.#server = createServer((near) => {
      this.#sockets.add(near);
      near.on('error', () => undefined).on('close', () => this.#sockets.delete(near));
      if (!this.answers) return;
      const far = connect(socketPath);
      far.on('error', () => near.destroy()).on('close', () => near.destroy());
      near.on('close', () => far.destroy());
      near.pipe(far).pipe(near);
    });
  }

  listen(): Promise<number> {
    return new Promise((resolve) => {
      this.#server.listen(0, '127.0.0.1', () => {
        const address = this.#server.address();
        resolve(typeof address === 'object' && address !== null ? address.port : 0);
      });
    });
  }

  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  close(): Promise<void> {
    this.cut();
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }
}

let wire: Wire;
let api: TestApi;
let customer: TestCustomer;

beforeAll(async () => {
  const postgres = inject('postgres');
  const direct = new URL(await createTestDatabase(postgres));
  wire = new Wire(join(postgres.host ?? '', `.s.PGSQL.${postgres.port ?? 5432}`));
  const port = await wire.listen();
  const databaseUrl = `postgresql://${direct.username}:${direct.password}@127.0.0.1:${port}${direct.pathname}`;
  const environment = {
    DATABASE_URL: databaseUrl,
    SVC_DATABASE_CONNECTIONS: '2',
    ...oneNodeOnly('its queue before the database'),
  };
  api = await startTestApi(postgres, { createInference: createFakeInference }, environment);
  customer = await api.customer();
});
afterAll(async () => {
  wire.answers = true;
  await api.close();
  await wire.close();
});

const read = () => customer.request('GET', '/v1/lists');

it('a database that is away is 503, and the service goes on when it is back', async () => {
  expect((await read()).status).toBe(200);
  wire.answers = false;
  wire.cut();
  const away = await read();
  expect([away.status, away.body.code]).toEqual([503, 'not-ready']);
  expect(Number(away.headers.get('retry-after'))).toBeGreaterThan(0);
  expect((await fetch(`${api.url}/healthz`)).status).toBe(200);

  // Two pending connections and a full queue, so that the next request is rejected at once. In separate turns, since
  // look-ups of one turn share a query.
  const waiting: ReturnType<typeof read>[] = [];
  let isTurnedAway = false;
  await vi.waitUntil(
    () => {
      const asked = read();
      waiting.push(asked);
      asked.then(({ body }) => (isTurnedAway ||= body.code === 'overloaded')).catch(() => undefined);
      return isTurnedAway;
    },
    { timeout: 10_000, interval: 5 },
  );
  for (const answer of await Promise.all(waiting)) expect(answer.status).toBe(503);

  wire.answers = true;
  wire.cut();
  await vi.waitUntil(async () => (await read()).status === 200, { timeout: 20_000, interval: 200 });
});
