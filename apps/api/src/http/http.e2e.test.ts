import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { isErrorCode, problemSchema } from '@svc/protocol';
import { describe, expect, inject, it } from 'vitest';
import { createFakeInference, createLogSink, oneNodeOnly, requestJson, startTestApi } from '../testing/index.ts';
import { useApi } from '../testing/use-api.ts';

const log = createLogSink();
const { api, customer } = useApi({
  logDestination: log,
  environment: oneNodeOnly('how it speaks HTTP, byte by byte'),
});

const get = (path: string, headers: Record<string, string> = {}) =>
  requestJson<Record<string, unknown>>(`${api.url}${path}`, { headers });

/**
 * Sends raw bytes and reads until the server closes, or sends nothing for 300 ms behind the first of its answer.
 * @param answersMs until when the first must be there
 */
function raw(text: string, answersMs = 30_000): Promise<string> {
  const { hostname, port } = new URL(api.url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(text));
    let answer = '';
    socket.setTimeout(answersMs, () => socket.destroy());
    socket.on('data', (chunk) => {
      answer += chunk;
      socket.setTimeout(300);
    });
    socket.on('close', () => resolve(answer));
    socket.on('error', reject);
  });
}

describe('every answer', () => {
  it('has its own X-Request-Id, whatever the caller sends, and says nothing of the software', async () => {
    const [first, second] = [await get('/healthz', { 'X-Request-Id': 'mine' }), await get('/healthz')];
    const ids = [first, second].map((answer) => answer.headers.get('x-request-id'));
    expect(ids[0]).toMatch(/^req_[\w-]{20}$/);
    expect(ids[0]).not.toBe(ids[1]);
    expect(first.headers.get('x-powered-by')).toBeNull();
    expect(first.headers.get('server')).toBeNull();
  });
});

describe('every error', () => {
  it.each([
    ['GET', '/nowhere', 404],
    ['GET', '/v1/lists/', 404],
    ['GET', '/V1/lists', 404],
    ['GET', '/v1/lists/%E0%A4%A', 404],
    ['PUT', '/v1/lists', 405],
    ['PATCH', '/v1/lists/lst_1/people', 405],
    ['OPTIONS', '/v1/lists', 405],
    ['GET', '/v1/lists', 401],
    ['DELETE', '/healthz', 405],
    ['PROPFIND', '/healthz', 405],
  ])('%s %s is a problem with its request’s id: %i', async (method, path, status) => {
    const answer = await requestJson<Record<string, unknown>>(`${api.url}${path}`, { method });
    expect(answer.status).toBe(status);
    expect(answer.headers.get('content-type')).toMatch(/^application\/problem\+json/);
    const problem = problemSchema.parse(answer.body);
    expect(problem.status).toBe(status);
    expect(isErrorCode(problem.code)).toBe(true);
    expect(problem.type).toBe(`/docs/errors#${problem.code}`);
    expect(problem.requestId).toBe(answer.headers.get('x-request-id'));
    if (status === 405) expect(answer.headers.get('allow')).toContain('GET');
    if (status === 401) expect(answer.headers.get('www-authenticate')).toMatch(/^ApiKey/);
  });

  it('HEAD answers as GET, without the body', async () => {
    const response = await fetch(`${api.url}/healthz`, { method: 'HEAD' });
    expect([response.status, await response.text()]).toEqual([200, '']);
  });

  it.each([
    ['nonsense\r\n\r\n', 400],
    ['GET / HTTP/1.1\r\nHost: x\r\nContent-Length: x\r\n\r\n', 400],
    [`GET / HTTP/1.1\r\nHost: x\r\nA: ${'b'.repeat(20_000)}\r\n\r\n`, 400],
    ['GET /healthz HTTP/1.1\r\n\r\n', 400],
    ['GET http://[/ HTTP/1.1\r\nHost: x\r\n\r\n', 404],
    ['GET http://[::1/v1/nowhere HTTP/1.1\r\nHost: x\r\n\r\n', 404],
    ['OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n', 404],
    ['TRACE /healthz HTTP/1.1\r\nHost: x\r\nX-Echo: me\r\n\r\n', 405],
    ['TRACE /nowhere HTTP/1.1\r\nHost: x\r\n\r\n', 404],
    ['POST /v1/lists HTTP/1.1\r\nHost: x\r\nExpect: much\r\nContent-Length: 0\r\n\r\n', 401],
  ])('what hardly is HTTP is a problem with its request’s id too: %#', async (text, status) => {
    const [head = '', body = ''] = (await raw(text)).split('\r\n\r\n');
    expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(head).toMatch(/^Content-Type: application\/problem\+json/im);
    for (const header of [
      'X-Content-Type-Options: nosniff',
      'Cache-Control: no-store',
      'Strict-Transport-Security: ',
    ]) {
      expect(head).toContain(`\r\n${header}`);
    }
    const problem = problemSchema.parse(JSON.parse(body));
    expect(problem.status).toBe(status);
    expect(problem.requestId).toMatch(/^req_[\w-]{20}$/);
    expect(head).toContain(`X-Request-Id: ${problem.requestId}\r\n`);
  });

  it.each([
    ['both a length and chunks', 'Content-Length: 4\r\nTransfer-Encoding: chunked'],
    ['two lengths', 'Content-Length: 4\r\nContent-Length: 5'],
    ['a length in a list', 'Content-Length: 4, 5'],
    ['a signed length', 'Content-Length: +4'],
    ['another coding last', 'Transfer-Encoding: chunked, identity'],
    ['a blank before the colon', 'Transfer-Encoding : chunked'],
    ['a folded line', 'X-A: b\r\n Transfer-Encoding: chunked'],
    ['a bare carriage return', 'X-A: b\rTransfer-Encoding: chunked'],
    ['a bare line feed', 'X-A: b\nTransfer-Encoding: chunked'],
  ])('%s leave no doubt where a request ends: it is refused and the connection closed', async (_name, headers) => {
    const second = 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n';
    const answer = await raw(`POST /v1/lists HTTP/1.1\r\nHost: x\r\n${headers}\r\n\r\n0\r\n\r\n${second}`);
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer.match(/HTTP\/1\.1 /g)).toHaveLength(1);
  });

  it.each(['Host: x\r\nHost: x', 'Host: x\r\nhost: y'])(
    'two hosts leave in doubt who is asked: %j is refused',
    async (hosts) => {
      const answer = await raw(`GET /healthz HTTP/1.1\r\n${hosts}\r\nConnection: close\r\n\r\n`);
      expect(answer).toMatch(/^HTTP\/1\.1 400 /);
      expect(answer).toContain('more than one Host');
    },
  );

  it('an address in absolute form is answered as its path', async () => {
    expect(await raw('GET http://any.host/healthz HTTP/1.1\r\nHost: x\r\n\r\n')).toMatch(/^HTTP\/1\.1 200 /);
  });
});

describe('bodies', () => {
  it('above 64 KiB are refused where no photo is expected, and the connection goes on', async () => {
    const answer = await customer.request('POST', '/v1/events', 'x'.repeat(64 * 1024 + 1));
    expect([answer.status, answer.body.code]).toEqual([413, 'request-too-large']);
    expect((await get('/healthz')).status).toBe(200);
  });

  it('with members that every object has by itself leave every object as it was, and change nothing of another account', async () => {
    const hostile = '"__proto__":{"polluted":true,"accountId":"acc_1"},"constructor":{"prototype":{"polluted":true}}';
    const text = `{"name":"x","ongoing":true,"listId":"lst_1","accountId":"acc_1","endedAt":"2020-01-01T00:00:00.000Z",${hostile}}`;
    const list = await customer.request<Record<string, unknown>>('POST', '/v1/lists', text);
    expect([list.status, list.body.code]).toEqual([400, 'unknown-parameter']);
    const named = (list.body.errors as { pointer: string }[]).map(({ pointer }) => pointer);
    expect(named).toEqual(['/listId', '/accountId', '/endedAt', '/__proto__', '/constructor']);
    expect(Object.keys(Object.prototype)).toEqual([]);
    expect(Object.prototype).not.toHaveProperty('polluted');
  });

  it('that end early are not taken for whole', async () => {
    const before = log.text.length;
    const text = `POST /v1/events HTTP/1.1\r\nHost: x\r\nX-Api-Key: ${customer.apiKey}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"name":`;
    // Hangs up.
    await raw(text, 300);
    await expect.poll(() => log.text.slice(before)).toContain('"aborted":true');
    expect((await customer.request<{ items: unknown[] }>('GET', '/v1/events')).body.items).toEqual([]);
  });

  it('are asked for only once the caller may send them', async () => {
    const continued = (headers: Record<string, string>) =>
      new Promise<[boolean, number | undefined]>((resolve, reject) => {
        let asked = false;
        const body = JSON.stringify({ name: 'x' });
        const request = httpRequest(`${api.url}/v1/events`, {
          method: 'POST',
          headers: {
            Expect: '100-continue',
            'Content-Length': body.length,
            'Content-Type': 'application/json',
            ...headers,
          },
        });
        request.on('continue', () => {
          asked = true;
          request.end(body);
        });
        request.on('response', (response) => {
          resolve([asked, response.statusCode]);
          request.destroy();
        });
        request.on('error', reject);
        request.flushHeaders();
      });
    expect(await continued({})).toEqual([false, 401]);
    expect(await continued({ 'X-Api-Key': customer.apiKey })).toEqual([true, 400]);
  });
});

describe('logs', () => {
  it('name the route and never the path, the query, a body or a key', async () => {
    const list = await customer.request<{ listId: string }>('POST', '/v1/lists', {
      name: 'canary-name',
      ongoing: true,
    });
    await customer.request('GET', `/v1/lists/${list.body.listId}/people/canary-person?canary-query=1`);
    await customer.request('POST', `/v1/lists/${list.body.listId}/people`, { personId: 'canary-person' });
    await get('/canary-path');
    await expect.poll(() => log.text).toContain('"route":"/v1/lists/:listId/people/:personId"');
    expect(log.text).not.toContain('canary');
    expect(log.text).not.toContain(customer.apiKey.slice(5, 30));
  });

  it('name the caller by account and key, and no one for an invalid credential', async () => {
    const { keyId, apiKey } = await api.admin.keys.create(customer.accountId, 'watched');
    await get('/v1/usage', { 'X-Api-Key': apiKey });
    const line = () => log.text.split('\n').find((text) => text.includes('/v1/usage'));
    await expect.poll(line).toBeDefined();
    expect(JSON.parse(line() ?? '')).toMatchObject({
      ...{ accountId: customer.accountId, keyId, method: 'GET', route: '/v1/usage', status: 200 },
      time: expect.stringMatching(/^20\d\d-\d\d-\d\dT[\d:.]+Z$/),
      requestId: expect.stringMatching(/^req_/),
    });
    await get('/v1/audit-log', { 'X-Api-Key': `${apiKey}x` });
    await expect.poll(() => log.text).toContain('/v1/audit-log');
    const refused = log.text.split('\n').find((text) => text.includes('/v1/audit-log')) ?? '';
    expect(Object.keys(JSON.parse(refused))).not.toContain('accountId');
    expect(JSON.parse(refused)).toMatchObject({ status: 401, code: 'invalid-credential' });
  });
});

describe('readiness and shutdown', () => {
  it('is not ready while models load or the database is away, and alive all the while', async () => {
    const cold = createFakeInference();
    cold.isReady = () => false;
    const other = await startTestApi(inject('postgres'), { createInference: () => cold });
    const readiness = await fetch(`${other.url}/readyz`);
    expect(readiness.status).toBe(503);
    expect(readiness.headers.get('retry-after')).not.toBeNull();
    expect((await fetch(`${other.url}/healthz`)).status).toBe(200);
    await other.close();
    await expect.poll(async () => (await get('/readyz')).status).toBe(200);
    const models = {
      engine: 'dlib-resnet-128-mirror/2',
      passiveCheck: null,
      warnings: ['built-in-engine', 'no-passive-check'],
    };
    expect((await get('/readyz')).body).toEqual({ status: 'ready', models });
  });

  it('logs when it is ready, and no health check', async () => {
    const sink = createLogSink();
    const parts = { createInference: createFakeInference, logDestination: sink };
    const other = await startTestApi(inject('postgres'), parts, oneNodeOnly('its log'));
    for (const path of ['/healthz', '/readyz']) {
      for (const method of ['GET', 'HEAD']) expect((await fetch(`${other.url}${path}`, { method })).status).toBe(200);
    }
    expect((await fetch(`${other.url}/readyz`, { method: 'POST' })).status).toBe(405);
    await other.close();
    const lines = sink.text
      .trim()
      .split('\n')
      .map((line): Record<string, unknown> => JSON.parse(line));
    expect(lines.filter(({ msg }) => msg === 'ready')).toEqual([
      expect.objectContaining({ level: 'info', startMs: expect.any(Number) }),
    ]);
    expect(lines.filter(({ msg }) => msg === 'request')).toEqual([
      expect.objectContaining({ route: '/readyz', method: 'POST', status: 405 }),
    ]);
  });
});
