/**
 * The API in a separate process, bundled as by `npm start`; gets its options from its parent and reports its resource
 * use.
 */
import { type ApiParts, openAdmin, readConfig, startApi } from '@svc/api';
import { createFakeInference } from '@svc/api/testing';
import { type ApiMessage, type ApiRequest, ONE_ROW_PATH } from './messages.ts';

const send = (message: ApiMessage) => process.send?.(message);

function usage(): ApiMessage {
  const { user, system } = process.cpuUsage();
  return { kind: 'usage', processorMs: (user + system) / 1000, residentBytes: process.memoryUsage.rss() };
}

const config = readConfig(process.env);
const parts: ApiParts = {
  mount(router, connection) {
    router.get(`${ONE_ROW_PATH}/:accountId/:listId`, async ({ params }, response) => {
      const row: { list_version: number } | undefined = await connection('lists')
        .where({ account_id: params.accountId, list_id: params.listId })
        .first('list_version', 'event_id', 'enrollment_closed_at', 'retention_deadline');
      response.json({ listVersion: row?.list_version });
    });
  },
  ...(process.env.BENCH_INFERENCE === 'fake' ? { createInference: createFakeInference } : {}),
};
const running = await startApi(config, parts);
const admin = await openAdmin(config);
const account = await admin.accounts.create({
  name: 'Bench',
  country: 'DE',
  billingCurrency: 'EUR',
  plan: { contract: 10_000_000 },
});
const { apiKey } = await admin.keys.create(account.accountId, 'bench');
const { keyId, signingKey } = admin.region();
await admin.close();

process.on('message', (request: ApiRequest) => {
  if (request === 'usage') send(usage());
  else void running.close().then(() => process.disconnect());
});
process.on('disconnect', () => void running.close());
const { url, metricsUrl } = running;
send({ kind: 'started', url, metricsUrl, accountId: account.accountId, apiKey, keyId, signingKey });
