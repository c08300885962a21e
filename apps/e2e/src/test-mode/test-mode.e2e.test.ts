import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, symlink } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createFakeInference, listenOnLoopback, startTestApi, testEngines } from '@svc/api/testing';
import { temporaryFolder } from '@svc/durable-fs/testing/folder';
import { verifyWebhook, type WebhookNotification } from '@svc/server-sdk';
import { afterAll, expect, inject, it, onTestFinished } from 'vitest';

const at = (path: string) => fileURLToPath(new URL(`../../../../${path}`, import.meta.url));
/** With the sources of the packages, in every process. */
const sources = { NODE_OPTIONS: `--conditions=svc-source --import=${import.meta.resolve('tsx')}` };

const folder = temporaryFolder();
const parts = { createInference: createFakeInference, engines: testEngines() };
const api = await startTestApi(inject('postgres'), parts);
const customer = await api.customer({ country: 'US', mode: 'test' });
afterAll(() => api.close());

it('the example of a backend’s tests passes where a reader has copied it to', { timeout: 240_000 }, async () => {
  await cp(at('examples/backend-tests'), folder, { recursive: true });
  await mkdir(join(folder, 'node_modules/@svc'), { recursive: true });
  for (const name of ['server-sdk', 'device-sdk-node'])
    await symlink(at(`packages/${name}`), join(folder, 'node_modules/@svc', name));
  const env = {
    ...{ ...process.env, ...sources, SVC_URL: api.url, SVC_API_KEY: customer.apiKey },
    REGION: JSON.stringify(api.admin.region()),
  };
  const { stdout } = await promisify(execFile)(process.execPath, ['--test'], { cwd: folder, env });
  expect(stdout).toMatch(/^(#|ℹ) pass 26$/m);
  expect(stdout).toMatch(/^(#|ℹ) fail 0$/m);
});

it('svc webhook listen passes notifications on, signed, until a receiver takes them', {
  timeout: 120_000,
}, async () => {
  const received: WebhookNotification[] = [];
  let secret = '';
  async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const headers = new Headers(request.headers as Record<string, string>);
    received.push(await verifyWebhook({ body: await buffer(request), headers, secrets: [secret] }));
    // As if a proxy had answered for it, then a server that is being reloaded.
    response.writeHead({ 2: 503, 3: 500 }[received.length] ?? 204).end();
  }
  const receiver = createServer((request, response) => void receive(request, response));
  const { url, close } = await listenOnLoopback(receiver);
  onTestFinished(close);
  const forwardTo = `${url}/hooks`;
  const args = ['webhook', 'listen', '--forward-to', forwardTo, '--url', api.url];
  const env = { ...process.env, ...sources, SVC_API_KEY: customer.apiKey };
  const listener = spawn(process.execPath, [at('apps/cli/src/main.ts'), ...args], { env });
  const exited = once(listener, 'exit');
  onTestFinished(() => void listener.kill());
  let printed = '';
  const reached = (text: RegExp) =>
    expect.poll(() => printed, { timeout: 60_000, message: 'what is printed' }).toMatch(text);
  listener.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text;
  });
  await reached(/^whsec_.*\n/);
  secret = printed.trim();
  const { body } = await customer.request<{ listId: string }>('POST', '/v1/lists', { name: 'Members', ongoing: true });
  await reached(/list\.created {2}204/);
  await customer.request('POST', `/v1/lists/${body.listId}/close-enrollment`);
  await reached(/list\.closed {2}503[\s\S]*list\.closed {2}500[\s\S]*list\.closed {2}204/);
  expect(received.map(({ type }) => type)).toEqual(['list.created', ...Array(3).fill('list.closed')]);
  expect(new Set(received.map(({ id }) => id)).size).toBe(2);
  listener.kill('SIGINT');
  expect(await exited).toEqual([0, null]);
  expect((await customer.request('GET', '/v1/webhooks')).body).toMatchObject({ items: [] });
});
