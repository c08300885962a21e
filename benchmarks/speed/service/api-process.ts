/**
 * The API in a separate process, bundled as by `npm start`; gets its options from its parent and reports its resource
 * use.
 */
import { type ApiParts, openAdmin, readConfig, startApi } from '@svc/api';
import { createFakeInference } from '@svc/api/testing';
import type { ApiMessage, ApiRequest } from './messages.ts';
import { mountOneRow } from './one-row.ts';

const send = (message: ApiMessage) => process.send?.(message);

function usage(): ApiMessage {
  const { user, system } = process.cpuUsage();
  return { kind: 'usage', processorMs: (user + system) / 1000, residentBytes: process.memoryUsage.rss() };
}

const config = readConfig(process.env);
const parts: ApiParts = {
  mount: mountOneRow,
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
