import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { startApi } from '../../compose.ts';
import { type BundledProgram, bundleProgram } from '../../testing/bundle-program.ts';
import { createList } from '../../testing/enrolment-fixture.ts';
import { createFakeInference, createManualClock, startTestApi, type TestApi } from '../../testing/index.ts';
import { LOCAL_WEBHOOKS, startWebhookReceiver, type WebhookReceiver } from '../../testing/webhook-receiver.ts';

const workspace = fileURLToPath(new URL('../../..', import.meta.url));
const parts = { createInference: () => createFakeInference() };
let api: TestApi;
let receiver: WebhookReceiver;
let program: BundledProgram;

beforeAll(async () => {
  api = await startTestApi(inject('postgres'), parts, { ...LOCAL_WEBHOOKS, SVC_JOBS: 'off' });
  receiver = await startWebhookReceiver();
  program = await bundleProgram(new URL('../../main.ts', import.meta.url));
});
afterAll(async () => {
  await program.remove();
  await receiver.close();
  await api.close();
});

/** The program as an operator starts it, on the test's database. */
const startProgram = () =>
  spawn(process.execPath, [program.path], {
    cwd: workspace,
    env: {
      PATH: process.env.PATH,
      PORT: '0',
      DATABASE_URL: api.config.databaseUrl ?? '',
      SVC_DATA_DIR: api.config.dataDirectory,
      SVC_INFERENCE_WORKERS: '1',
      ...LOCAL_WEBHOOKS,
    },
    stdio: 'ignore',
  });

it('a delivery that was on its way when its node was killed is delivered by the next', async () => {
  const customer = await api.customer();
  const created = { url: receiver.url, eventTypes: ['list.ended'] };
  await customer.request('POST', '/v1/webhooks', created);
  const listId = await createList(customer);
  await customer.request('POST', `/v1/lists/${listId}/end`);
  receiver.answerWith(null);
  const child = startProgram();
  const exited = once(child, 'exit');
  try {
    await expect.poll(() => receiver.received.length, { timeout: 60_000, interval: 50 }).toBe(1);
  } finally {
    child.kill('SIGKILL');
    await exited;
  }

  receiver.answerWith(204);
  const config = { ...api.config, background: { ...api.config.background, jobs: true } };
  const next = await startApi(config, { ...parts, clock: createManualClock(Date.now() + 61_000) });
  try {
    await expect.poll(() => receiver.received.length, { interval: 50 }).toBe(2);
  } finally {
    await next.close();
  }
  const [first, second] = receiver.received;
  expect(second?.text).toBe(first?.text);
  expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id']);
  expect(second?.body).toMatchObject({ type: 'list.ended', data: { listId, reason: 'ended' } });
});
