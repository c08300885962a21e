import { freePort } from '@svc/api/testing';
import { encodeJpeg, identitySeed, renderHead } from '@svc/synthetic-faces';
import { afterAll, afterEach, expect, it } from 'vitest';
import { startService } from '../support/service.ts';
import { CALLS_THIS_MACHINE, copyExample, hasProgram, removeExamples } from './example.ts';

const timeout = 240_000;

const service = await startService({ environment: CALLS_THIS_MACHINE });
afterAll(() => service.close());
afterEach(removeExamples);

for (const [name, program] of Object.entries({ php: 'php', python: 'python3' }))
  it.skipIf(!hasProgram(program))(`${name}: enrols, looks up, and takes what is signed`, { timeout }, async () => {
    const customer = await service.api.customer({ country: 'DE', mode: 'test' });
    const port = await freePort();
    const url = `http://127.0.0.1:${port}/`;
    const { body } = await customer.request<{ webhookId: string; secret: string }>('POST', '/v1/webhooks', { url });
    const settings = { SVC_URL: service.url, SVC_API_KEY: customer.apiKey, SVC_WEBHOOK_SECRET: body.secret };
    const { blocks, type } = await copyExample(name, settings);
    const { printed } = await type(blocks[0]);
    expect(printed).toMatch(/\nT-\w{32} is enrolled until \d{4}-/);
    expect(printed).toMatch(/\nanother photo, please: too-dark\n/);

    const receiver = await type(blocks[1]?.replace('8080', `${port}`), url);
    await customer.request('POST', `/v1/webhooks/${body.webhookId}/test`);
    await expect.poll(() => receiver.printed, { timeout: 60_000 }).toContain('webhook.test');
    const signed = { 'webhook-id': 'dlv_1', 'webhook-timestamp': `${Math.floor(Date.now() / 1000)}` };
    for (const signature of [undefined, 'v1,AAAA', `v1,${'A'.repeat(43)}=`]) {
      const headers = { ...signed, ...(signature && { 'webhook-signature': signature }) };
      expect((await fetch(url, { method: 'POST', headers, body: '{}' })).status).toBe(400);
    }
  });

it('door-node: lets the rendered visitor in, and nobody who is not on the list', { timeout }, async () => {
  const photo = await encodeJpeg(renderHead({ seed: identitySeed(1), width: 960, height: 720 }));
  const listId = await service.createList();
  expect((await service.enrol(listId, 'member-7c2e91d04ab35f68', photo)).status).toBe(201);
  const { token } = await service.addDevice(listId);
  const REGION = JSON.stringify(service.api.admin.region());
  const { blocks, type } = await copyExample('door-node', { SVC_URL: service.url, REGION, DEVICE_TOKEN: token });
  const { printed } = await type(blocks[0]?.replace('echo ', "printf 'nobody\\n%s\\n' "));
  expect(printed).toContain('NotEnrolled not-on-list\nMatch verified\nthe door opens\n');
});
