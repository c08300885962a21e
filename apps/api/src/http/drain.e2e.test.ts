import { expect, inject, it } from 'vitest';
import { createFakeInference, oneNodeOnly, startTestApi } from '../testing/index.ts';

it('a node that stops says so first, answers on for a while, and then is gone', async () => {
  const environment = { SVC_DRAIN_MS: '6000', ...oneNodeOnly('how it stops') };
  const api = await startTestApi(inject('postgres'), { createInference: createFakeInference }, environment);
  const customer = await api.customer();
  await expect.poll(async () => (await fetch(`${api.url}/readyz`)).status).toBe(200);
  const stopped = api.running.close();
  // At once, as they have six seconds together.
  const [readiness, lists, made] = await Promise.all([
    fetch(`${api.url}/readyz`),
    customer.request('GET', '/v1/lists'),
    customer.request('POST', '/v1/lists', { name: 'x', ongoing: true }),
  ]);
  expect([readiness.status, readiness.headers.get('connection')]).toEqual([503, 'close']);
  expect([lists.status, lists.headers.get('connection')]).toEqual([200, 'close']);
  expect(made.status).toBe(201);
  await stopped;
  await expect(fetch(`${api.url}/healthz`)).rejects.toThrow();
  await api.close();
});
