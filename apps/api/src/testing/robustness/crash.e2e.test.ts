import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { deriveLookupKey, lookupTag } from '@svc/core/pack';
import { expect, inject, it } from 'vitest';
import { composeAdmin } from '../../compose/admin.ts';
import { readConfig } from '../../config/config.ts';
import { bundleProgram } from '../bundle-program.ts';
import { createTestDatabase } from '../postgres.ts';
import { LOCAL_WEBHOOKS, startWebhookReceiver, type WebhookReceiver } from '../webhook-receiver.ts';
import { Acknowledgements } from './acknowledgements.ts';
import { ApiNodes } from './api-nodes.ts';
import { ConcurrentCallers } from './concurrent-callers.ts';
import { clusterDeaths, type OwnCluster, startOwnCluster } from './own-cluster.ts';
import { type Deployment, findPartialWrites } from './partial-writes.ts';
import { createSeededRandom, type SeededRandom } from './seeded-random.ts';

const NODE = new URL('./killable-node.ts', import.meta.url);
/** Longer than any claim, lease or examination of a killed node. */
const LEASES_MS = 200_000;
const LONGEST_RUN_MS = 900;
const INSTANTS_A_SEASON = 10;
const DELIVERED_LIMIT_MS = 60_000;

interface CampaignOptions {
  readonly databaseUrl: string;
  /** Killed instead of the nodes, if present. */
  readonly cluster?: OwnCluster;
  readonly seed: number;
  readonly instants: number;
  /** Database of the keys; default: a folder. */
  readonly keyDatabaseUrl?: string;
  readonly nodes: 1 | 2;
  readonly print: (line: string) => void;
}

interface CampaignReport {
  readonly instants: number;
  readonly counts: Readonly<Acknowledgements['counts']>;
  readonly notifications: number;
  /** Empty if no promise was broken. */
  readonly findings: readonly string[];
}

const NO_LIMITS = Object.fromEntries(
  ['API_KEY', 'GUEST_TOKEN', 'DEVICE', 'UNKNOWN_CREDENTIALS'].map((name) => [`SVC_RATE_LIMIT_${name}`, '0']),
);

/** A deployment that is loaded, killed, restarted and examined. */
class Campaign {
  readonly #o: CampaignOptions;
  readonly #nodes: ApiNodes;
  readonly #deployment: Deployment;
  readonly #random: SeededRandom;
  readonly findings: string[] = [];
  readonly counts = new Acknowledgements().counts;
  notifications = 0;

  constructor(o: CampaignOptions, nodes: ApiNodes, deployment: Deployment) {
    this.#o = o;
    this.#nodes = nodes;
    this.#deployment = deployment;
    this.#random = createSeededRandom(o.seed);
  }

  /** A new account, several instants, and finally all its notifications. */
  async season(from: number, to: number): Promise<void> {
    const receiver = await startWebhookReceiver();
    try {
      await this.#season(from, to, receiver);
    } finally {
      await receiver.close();
    }
  }

  async #season(from: number, to: number, { url, received }: WebhookReceiver): Promise<void> {
    const { accounts } = this.#deployment;
    const actor = { kind: 'system' } as const;
    const account = { name: 'Test', country: 'DE', billingCurrency: 'EUR', plan: 'unlimited' } as const;
    const { accountId } = await accounts.create(account, actor);
    const { apiKey } = await accounts.createApiKey(accountId, { name: 'test' }, actor);
    const acknowledged = new Acknowledgements();
    const urls = () => this.#nodes.urls();
    const callers = new ConcurrentCallers({
      apiKey,
      acknowledged,
      random: this.#random.fork(),
      urls,
      now: () => this.#nodes.now(),
    });
    await callers.prepare(url);
    for (let instant = from; instant < to; instant += 1) {
      const line = await this.#instant(callers);
      const found = [...acknowledged.findings.splice(0), ...(await this.#look(accountId, callers, acknowledged))];
      this.findings.push(...found.map((finding) => `instant ${instant}: ${finding}`));
      const logged = this.#nodes.errors();
      this.#o.print([`${instant} ${line}`, ...found, ...(found.length > 0 ? logged : [])].join('\n  '));
    }
    await this.#delivered(accountId);
    const undelivered = acknowledged.compareNotifications(received);
    this.findings.push(...undelivered.map((finding) => `instants ${from} to ${to - 1}: ${finding}`));
    this.notifications += received.length;
    for (const key of Object.keys(acknowledged.counts) as (keyof Acknowledgements['counts'])[])
      this.counts[key] += acknowledged.counts[key];
  }

  /** Load, a kill at a random moment, and the answers to all pending requests. */
  async #instant(callers: ConcurrentCallers): Promise<string> {
    callers.start();
    const afterMs = this.#random.between(0, LONGEST_RUN_MS);
    await sleep(afterMs);
    const { cluster } = this.#o;
    if (cluster !== undefined) {
      const death = this.#random.pick(clusterDeaths);
      await cluster.kill(death);
      await cluster.up();
      await this.#settle(callers);
      return `database killed (${death}) after ${afterMs} ms`;
    }
    await this.#nodes.kill();
    await this.#nodes.begin();
    // Sometimes a node is killed during its start too.
    const again = this.#random.chance(0.2) ? this.#random.between(0, 300) : null;
    if (again !== null) {
      await sleep(again);
      await this.#nodes.kill();
      await this.#nodes.begin();
    }
    await this.#nodes.up();
    await this.#settle(callers);
    return `node killed after ${afterMs} ms${again === null ? '' : `, and ${again} ms into its start`}`;
  }

  /** Leases of killed processes must expire before others can continue. */
  async #settle(callers: ConcurrentCallers): Promise<void> {
    this.#nodes.advance(LEASES_MS);
    await callers.rest();
  }

  async #look(accountId: string, callers: ConcurrentCallers, acknowledged: Acknowledgements): Promise<string[]> {
    const found = [
      ...(await findPartialWrites(this.#deployment, accountId)),
      ...(await acknowledged.compare(this.#deployment, accountId)),
    ];
    const { held, findings } = await callers.look();
    found.push(...findings);
    for (const [listId, tags] of held) {
      const lookupKey = deriveLookupKey(await this.#deployment.keyRing.unwrapListKey(listId, 1));
      const present = acknowledged.present(listId).map((id) => Buffer.from(lookupTag(lookupKey, id)).toString('hex'));
      if (present.length !== tags.size || !present.every((tag) => tags.has(tag))) {
        found.push(`${listId}: a device holds ${tags.size} people, ${present.length} were told`);
      }
    }
    return found;
  }

  /** Waits until no delivery is pending; advances the clock, as pauses between attempts take hours. */
  async #delivered(accountId: string): Promise<void> {
    const deadline = performance.now() + DELIVERED_LIMIT_MS;
    const sql = "SELECT count(*)::int AS waiting FROM webhook_deliveries WHERE account_id = ? AND state = 'pending'";
    for (;;) {
      const { rows } = await this.#deployment.database.connection.raw<{ rows: { waiting: number }[] }>(sql, [
        accountId,
      ]);
      if (rows[0]?.waiting === 0) return;
      if (performance.now() > deadline) {
        this.findings.push(`${rows[0]?.waiting} deliveries are still to be made`);
        return;
      }
      this.#nodes.advance(LEASES_MS);
      await sleep(200);
    }
  }
}

/**
 * Runs a deployment under load and repeatedly kills its nodes or its database. After each kill, compares the database
 * with all answers.
 * @throws Error when the service does not start again
 */
async function runCampaign(o: CampaignOptions): Promise<CampaignReport> {
  const dataDirectory = await mkdtemp(join(tmpdir(), 'svc-crash-'));
  const environment = {
    ...{
      PORT: '0',
      LOG_LEVEL: 'error',
      SVC_DATABASE_CONNECTIONS: '5',
      DATABASE_URL: o.databaseUrl,
      SVC_DATA_DIR: dataDirectory,
    },
    ...(o.keyDatabaseUrl === undefined ? {} : { SVC_KEY_DATABASE_URL: o.keyDatabaseUrl }),
    ...LOCAL_WEBHOOKS,
    ...NO_LIMITS,
  };
  const program = await bundleProgram(NODE);
  const nodes = new ApiNodes(program.path, environment);
  const deployment = await composeAdmin(readConfig(environment), { clock: { now: () => nodes.now() } });
  try {
    for (let i = 0; i < o.nodes; i += 1) await nodes.begin();
    await nodes.up();
    const campaign = new Campaign(o, nodes, deployment);
    for (let from = 0; from < o.instants; from += INSTANTS_A_SEASON) {
      await campaign.season(from, Math.min(o.instants, from + INSTANTS_A_SEASON));
    }
    const { findings, counts, notifications } = campaign;
    return { instants: o.instants, counts, notifications, findings };
  } finally {
    await nodes.close();
    await deployment.close();
    await program.remove();
    await rm(dataDirectory, { recursive: true, force: true });
  }
}

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
