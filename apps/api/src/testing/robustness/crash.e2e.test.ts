import { expect, inject, it } from 'vitest';
import { createTestDatabase } from '../postgres.ts';
import { type CampaignOptions, runCampaign } from './campaign.ts';
import { startOwnCluster } from './own-cluster.ts';

/** Instants of each kind; `npm run test:long` has more. */
const API_INSTANTS = Number(process.env.SVC_TEST_CRASH_API_INSTANTS ?? 4);
const DATABASE_INSTANTS = Number(process.env.SVC_TEST_CRASH_DATABASE_INSTANTS ?? 2);
const SEED = Number(process.env.SVC_TEST_CRASH_SEED ?? (API_INSTANTS > 4 ? Date.now() % 2 ** 32 : 1));
const TIMEOUT_MS = 30 * 60_000;

const print = (line: string) => process.stdout.write(`${line}\n`);

async function expectKept(o: Omit<CampaignOptions, 'seed' | 'print'>): Promise<void> {
  const keys = o.keyDatabaseUrl === undefined ? 'folder' : 'database';
  print(`crash: ${o.instants} instants, ${o.nodes} nodes, keys in a ${keys}, SVC_TEST_CRASH_SEED=${SEED}`);
  const startedAt = performance.now();
  const { findings, ...report } = await runCampaign({
    ...o,
    seed: SEED,
    print: o.instants > 20 ? print : () => undefined,
  });
  print(`crash: ${JSON.stringify(report)} in ${((performance.now() - startedAt) / 1000).toFixed(1)} s`);
  expect(findings).toEqual([]);
  expect(report.counts.enrolled).toBeGreaterThan(0);
}

it.each([
  { nodes: 1, keys: 'folder' },
  { nodes: 2, keys: 'database' },
] as const)(
  'nodes that are killed keep what they have answered: $nodes at a time, keys in the $keys',
  async ({ nodes, keys }) => {
    const databaseUrl = await createTestDatabase(inject('postgres'));
    const apart = keys === 'folder' ? {} : { keyDatabaseUrl: await createTestDatabase(inject('postgres')) };
    await expectKept({ nodes, databaseUrl, ...apart, instants: Math.ceil(API_INSTANTS / 2) });
  },
  TIMEOUT_MS,
);

it(
  'a database that is killed keeps what was answered',
  async () => {
    const cluster = await startOwnCluster();
    try {
      const databaseUrl = await createTestDatabase(cluster.target);
      await expectKept({ nodes: 1, cluster, databaseUrl, instants: DATABASE_INSTANTS });
    } finally {
      await cluster.stop();
    }
  },
  TIMEOUT_MS,
);
