import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { readConfig } from '../config/config.ts';
import { type BundledProgram, bundleProgram } from '../testing/bundle-program.ts';
import { createTestDatabase, queryDatabase } from '../testing/postgres.ts';
import { type FollowingProxy, startFollowingProxy } from '../testing/proxy.ts';
import { startConstantLoad } from '../testing/rolling/constant-load.ts';
import { ServiceNode } from '../testing/rolling/service-node.ts';
import { openAdmin } from './operator.ts';

/** Restarts per node; `SVC_TEST_ROLLING_ROUNDS` overrides it. */
const ROUNDS = Number(process.env.SVC_TEST_ROLLING_ROUNDS ?? 1);
const PATIENCE = { timeout: 60_000, interval: 50 };

/** A migration as a later version may contain it. */
const TOMORROW = `
CREATE TABLE of_tomorrow (account_id text PRIMARY KEY);
ALTER TABLE lists ADD COLUMN of_tomorrow text NOT NULL DEFAULT '';
ALTER TABLE people ADD COLUMN of_tomorrow timestamptz(3);
INSERT INTO schema_migrations (name, batch, migration_time) VALUES ('9999-of-tomorrow', 99, now());
`;

let directory: string;
let program: BundledProgram;
let environment: Record<string, string>;
let nodes: ServiceNode[] = [];
let proxy: FollowingProxy;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'svc-rolling-'));
  environment = {
    DATABASE_URL: await createTestDatabase(inject('postgres')),
    SVC_DATA_DIR: directory,
    SVC_KEK: randomBytes(32).toString('base64'),
    SVC_DRAIN_MS: '5000',
    SVC_RATE_LIMIT_API_KEY: '0',
    SVC_RATE_LIMIT_DEVICE: '0',
    LOG_LEVEL: 'warn',
  };
  program = await bundleProgram(new URL('../testing/rolling/node.ts', import.meta.url));
  nodes = [await ServiceNode.create(program.path, environment), await ServiceNode.create(program.path, environment)];
  proxy = await startFollowingProxy(nodes.map((node) => node.url));
});
afterAll(async () => {
  await proxy.close();
  await Promise.all(nodes.map((node) => node.kill()));
  await program.remove();
  await rm(directory, { recursive: true, force: true });
});

const becomesReady = (node: ServiceNode) => expect.poll(() => proxy.isReady(node.url), PATIENCE).toBe(true);

it(`restarts each of two nodes in turn, ${ROUNDS} times, across an expanded schema, and fails no request`, async () => {
  // Both start at once on an empty database.
  for (const node of nodes) node.start();
  for (const node of nodes) await becomesReady(node);
  const admin = await openAdmin(readConfig(environment));
  const { accountId } = await admin.accounts.create({ name: 'Test', billingCurrency: 'EUR', plan: 'unlimited' });
  const { apiKey } = await admin.keys.create(accountId, 'test');
  await admin.close();
  const load = await startConstantLoad(proxy.url, apiKey);
  const restarts: (number | null)[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const node of nodes) {
      restarts.push(await node.stop());
      if (restarts.length === 1) await queryDatabase(environment.DATABASE_URL ?? '', TOMORROW);
      node.start();
      await becomesReady(node);
    }
  }
  await load.stop();
  expect(load.failures, nodes.map((node) => node.output).join('\n')).toEqual([]);
  expect(restarts).toEqual(Array.from({ length: 2 * ROUNDS }, () => 0));
  for (const count of Object.values(load.answered)) expect(count).toBeGreaterThan(10);
  const people = await queryDatabase<{ person_id: string }>(
    environment.DATABASE_URL ?? '',
    'SELECT person_id FROM people WHERE account_id = $1',
    [accountId],
  );
  expect(new Set(people.map((row) => row.person_id))).toEqual(load.enrolled);
  process.stdout.write(`rolling restart: ${JSON.stringify({ ...load.answered, restarts: restarts.length })}\n`);
}, 600_000);
