import { connect, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, inject, it, vi } from 'vitest';
import {
  createFakeInference,
  createTestDatabase,
  oneNodeOnly,
  startTestApi,
  type TestApi,
  type TestCustomer,
} from '../testing/index.ts';

/** The first byte of PostgreSQL's message that ends a connection. */
const TERMINATE = 0x58;

/** A TCP proxy between service and database that can be cut, or forget its connections without a word. */
class Wire {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  answers = true;
  /** Forgotten connections on which the service sent a statement. */
  readonly triedInVain = new Set<Socket>();

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

  get connections(): number {
    return this.#sockets.size;
  }

  /** Its connections stay open at both ends and carry nothing. */
  forget(): void {
    for (const near of this.#sockets) {
      near.unpipe().on('data', ([type]: Buffer) => {
        if (type !== TERMINATE) this.triedInVain.add(near);
      });
      near.resume();
    }
  }

  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  close(): Promise<void> {
    this.cut();
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }
}

const hasPooler = process.env.SVC_TEST_PGBOUNCER === '1';
if (hasPooler) process.stdout.write('skipped: PgBouncer hides which statement is at work (forgotten connections)\n');

let wire: Wire;
let api: TestApi;
let customer: TestCustomer;

/** A service with so many connections over a wire. */
async function startBehindWire(connections: number) {
  const postgres = inject('postgres');
  const direct = new URL(await createTestDatabase(postgres));
  const between = new Wire(join(postgres.host ?? '', `.s.PGSQL.${postgres.port ?? 5432}`));
  const port = await between.listen();
  const environment = {
    DATABASE_URL: `postgresql://${direct.username}:${direct.password}@127.0.0.1:${port}${direct.pathname}`,
    SVC_DATABASE_CONNECTIONS: String(connections),
    ...oneNodeOnly('its connections'),
  };
  const started = await startTestApi(postgres, { createInference: createFakeInference }, environment);
  return { wire: between, api: started, connectionString: direct.href };
}

async function stop(stopped: { readonly wire: Wire; readonly api: TestApi }): Promise<void> {
  stopped.wire.answers = true;
  await stopped.api.close();
  await stopped.wire.close();
}

beforeAll(async () => {
  ({ wire, api } = await startBehindWire(2));
  customer = await api.customer();
});
afterAll(() => stop({ wire, api }));

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
    { timeout: 30_000, interval: 5 },
  );
  for (const answer of await Promise.all(waiting)) expect(answer.status).toBe(503);

  wire.answers = true;
  wire.cut();
  await vi.waitUntil(async () => (await read()).status === 200, { timeout: 30_000, interval: 200 });
});

it.skipIf(hasPooler)('after a network that forgot its connections the idle ones are not tried one by one', async () => {
  const started = await startBehindWire(10);
  const owner = await started.api.customer();
  // Requests that wait for a lock, until the pool is full.
  const holder = new pg.Client({ connectionString: started.connectionString });
  await holder.connect();
  await holder.query('BEGIN');
  await holder.query('LOCK TABLE lists IN ACCESS EXCLUSIVE MODE');
  const busy = Array.from({ length: 20 }, () => owner.request('POST', '/v1/lists', { name: 'x', ongoing: true }));
  await expect.poll(() => started.wire.connections).toBeGreaterThanOrEqual(10);
  await holder.end();
  await Promise.all(busy);
  // Each question waits two seconds for an answer.
  const isReady = async () => (await fetch(`${started.api.url}/readyz`)).status === 200;
  started.wire.forget();
  expect(await isReady()).toBe(false);
  await vi.waitUntil(isReady, { timeout: 90_000, interval: 10 });
  // Two or three until it is noticed, on a slow machine some more; not all ten.
  expect(started.wire.triedInVain.size).toBeLessThan(8);
  expect((await owner.request('GET', '/v1/lists')).status).toBe(200);
  started.wire.cut();
  await stop(started);
});
