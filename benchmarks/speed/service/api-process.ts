/** The API in a separate process, bundled as by `npm start`; its environment has its options. */
import { type ApiParts, openAdmin, readConfig, startApi } from '@svc/api';
import { createFakeInference } from '@svc/api/testing';
import { answerParent } from '../../inputs/program.ts';

/** Baseline for a sync: a route of the same application with all of its middleware, and one query. */
const oneRowPath = '/bench/one-row';

const config = readConfig(process.env);
let aheadMs = 0;
const parts: ApiParts = {
  clock: { now: () => Date.now() + aheadMs },
  mount(router, connection) {
    router.get(`${oneRowPath}/:accountId/:listId`, async ({ params }, response) => {
      const row: { list_version: number } | undefined = await connection('lists')
        .where({ account_id: params.accountId, list_id: params.listId })
        .first('list_version', 'event_id', 'enrollment_closed_at', 'retention_deadline');
      response.json({ listVersion: row?.list_version });
    });
  },
  ...(process.env.BENCH_INFERENCE === 'fake' ? { createInference: createFakeInference } : {}),
};

const actions = {
  /** @returns its addresses, a new account with its key, and the region's signing key: raw Ed25519, base64url */
  async start() {
    const { url } = await startApi(config, parts);
    const admin = await openAdmin(config);
    const { accountId } = await admin.accounts.create({
      ...{ name: 'Bench', country: 'DE', billingCurrency: 'EUR' },
      plan: { contract: 10_000_000 },
    });
    const { apiKey } = await admin.keys.create(accountId, 'bench');
    const { signingKey } = admin.region();
    await admin.close();
    return { url, accountId, apiKey, signingKey, oneRowPath };
  },
  /** Moves the service's clock. */
  advance(ms: number) {
    aheadMs += ms;
  },
  /** Of all threads since the start. */
  usage() {
    const { user, system } = process.cpuUsage();
    return { processorMs: (user + system) / 1000, residentBytes: process.memoryUsage.rss() };
  },
};
export type ApiProcess = typeof actions;
answerParent(actions);
