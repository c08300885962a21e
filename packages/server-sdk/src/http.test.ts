import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { errorCodes, errorTable } from '@svc/protocol';
import { describe, expect, it } from 'vitest';
import { version } from '../package.json';
import { createSvcClient } from './client.ts';
import { isRetryableAnswer, isSvcApiError, isSvcConnectionError, SvcApiError, SvcConnectionError } from './errors.ts';
import { type Answer, pathOf, systemPlatform } from './http.ts';
import { readRetryAfter, retryDelayMs } from './rate-limit.ts';
import { apiKey, createFakeService, json, problem } from './testing/fake-service.ts';

const ok = () => json({ listId: 'lst_1' });
const broken = () => new TypeError('fetch failed');
const gateway = () => new Response('<html>502</html>', { status: 502 });
const hang = (_sent: unknown, signal: AbortSignal) =>
  new Promise<Response>((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));

describe('what is retried', () => {
  it.each([
    ['a lost connection', broken],
    ['a busy service', () => problem('overloaded', { 'Retry-After': '2' })],
    ['a rate limit', () => problem('rate-limited', { 'Retry-After': '2' })],
    ['a service that starts', () => problem('not-ready')],
    ['a failure', () => problem('internal-error')],
    ['a request of ours still in flight', () => problem('request-in-flight', { 'Retry-After': '1' })],
    ['a gateway', gateway],
  ])('%s, with the same Idempotency-Key', async (_what, reply) => {
    const { client, sent } = createFakeService([reply(), reply(), ok()]);
    await expect(client.createList({ name: 'x', ongoing: true })).resolves.toEqual({ listId: 'lst_1' });
    expect(sent.map(({ headers }) => headers.get('idempotency-key'))).toEqual(['key-1', 'key-1', 'key-1']);
  });

  it('a key of the caller’s own is taken', async () => {
    const { client, sent } = createFakeService([broken(), ok()]);
    await client.createList({ name: 'x', ongoing: true }, { idempotencyKey: 'order-7' });
    expect(sent.map(({ headers }) => headers.get('idempotency-key'))).toEqual(['order-7', 'order-7']);
  });

  it('no more often than allowed, and then as it failed last', async () => {
    const { client, sent } = createFakeService([broken(), gateway(), problem('overloaded')], { maxRetries: 2 });
    await expect(client.getUsage()).rejects.toMatchObject({ name: 'SvcApiError', code: 'overloaded' });
    expect(sent).toHaveLength(3);
    const none = createFakeService([broken()]);
    await expect(none.client.getUsage({ maxRetries: 0 })).rejects.toBeInstanceOf(SvcConnectionError);
  });

  it('nothing that would fail again', async () => {
    for (const code of errorCodes.filter((known) => !errorTable[known].retryable)) {
      const { client, sent } = createFakeService([problem(code)]);
      await expect(client.getUsage()).rejects.toMatchObject({
        code,
        status: errorTable[code].status,
        retryable: false,
      });
      expect(sent).toHaveLength(1);
    }
  });

  it('not when the service asks for a longer wait than is worth it', async () => {
    const { client, waits } = createFakeService([problem('rate-limited', { 'Retry-After': '3600' })]);
    await expect(client.getUsage()).rejects.toMatchObject({ retryAfterMs: 3_600_000 });
    expect(waits).toEqual([]);
  });
});

describe('waiting', () => {
  it('grows with jitter and has an end', () => {
    expect([0, 1, 2, 3, 9].map((attempt) => retryDelayMs(attempt, null, 0.5))).toEqual([125, 250, 500, 1000, 4000]);
    expect([retryDelayMs(0, null, 0), retryDelayMs(0, 3_000, 0)]).toEqual([0, 3_000]);
  });

  it.each([
    [{ 'Retry-After': '5' }, 5_000],
    [{ 'Retry-After': 'Fri, 01 May 2026 12:00:09 GMT' }, 9_000],
    [{ 'Retry-After': 'Fri, 01 May 2026 12:00:09 GMT', Date: 'Fri, 01 May 2026 12:00:02 GMT' }, 7_000],
    [{ 'Retry-After': 'Fri, 01 May 2026 11:00:00 GMT' }, 0],
    [{ 'Retry-After': 'soon' }, null],
    [{}, null],
  ])('%j', (headers, ms) => {
    expect(readRetryAfter(new Headers(headers), Date.parse('2026-05-01T12:00:00Z'))).toBe(ms);
  });

  const proxy = (status: number) => (headers: Record<string, string>) => new Response('<html>', { status, headers });
  it.each([
    ['409 request-in-flight', (headers: Record<string, string>) => problem('request-in-flight', headers)],
    ['429 rate-limited', (headers: Record<string, string>) => problem('rate-limited', headers)],
    ['503 overloaded', (headers: Record<string, string>) => problem('overloaded', headers)],
    ['429 of a proxy', proxy(429)],
    ['503 of a proxy', proxy(503)],
  ])('is as long as %s asks for, in seconds and by a date', async (_what, refuse) => {
    const byDate = { 'Retry-After': 'Fri, 01 May 2026 12:00:09 GMT' };
    const { client, waits } = createFakeService([refuse({ 'Retry-After': '6' }), refuse(byDate), ok()]);
    await client.createList({ name: 'x', ongoing: true });
    expect(waits).toEqual([6_125, 9_250]);
  });

  it('ends at the caller’s own deadline', async () => {
    const until = AbortSignal.timeout(5);
    await expect(systemPlatform.sleep(60_000, until)).rejects.toMatchObject({ name: 'TimeoutError' });
    await expect(systemPlatform.sleep(60_000, until)).rejects.toBe(until.reason);
  });
});

describe('errors', () => {
  it('tell code, status and request, and nothing that was sent', async () => {
    const { client } = createFakeService([problem('consent-version-mismatch')]);
    const error: unknown = await client.getPerson('lst_1', 'secret-person').catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(SvcApiError);
    expect(isSvcApiError(error) && [error.code, error.status, error.requestId]).toEqual([
      'consent-version-mismatch',
      409,
      'req_1',
    ]);
    expect(`${JSON.stringify(error)} ${String(error)}`).not.toMatch(/secret-person|svck_/);
  });

  it('are retryable exactly where the table of errors says so', () => {
    for (const code of errorCodes) {
      const { status, retryable } = errorTable[code];
      // Retryable codes come with Retry-After, except 500.
      expect([code, isRetryableAnswer(status, retryable)]).toEqual([code, retryable]);
    }
  });

  it('from a proxy are not taken for the service’s', async () => {
    const captive = new Response('<html>please log in</html>', { status: 200 });
    const { client } = createFakeService([captive]);
    const error: unknown = await client.getUsage().catch((caught: unknown) => caught);
    expect(isSvcConnectionError(error) && [error.code, error.status, error.retryable]).toEqual([
      'unrecognised-answer',
      200,
      false,
    ]);
    const denied = createFakeService([
      new Response('{}', { status: 403, headers: { 'Content-Type': 'application/problem+json' } }),
    ]);
    await expect(denied.client.getUsage()).rejects.toMatchObject({ code: 'unrecognised-answer', status: 403 });
  });
});

describe('patience', () => {
  it('a slow answer is aborted and requested again', async () => {
    const { client, sent } = createFakeService([hang, ok()]);
    await expect(client.getList('lst_1', { timeoutMs: 1_000 })).resolves.toEqual({ listId: 'lst_1' });
    expect(sent).toHaveLength(2);
    const slow = createFakeService([hang]);
    await expect(slow.client.getUsage({ timeoutMs: 5, maxRetries: 0 })).rejects.toMatchObject({ code: 'timed-out' });
  });

  it('ends when the caller says so: before, during, and while waiting', async () => {
    const reason = new Error('never mind');
    const early = createFakeService([]);
    await expect(early.client.getUsage({ signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    expect(early.sent).toEqual([]);
    const during = new AbortController();
    const abortSoon = (sent: unknown, signal: AbortSignal) => {
      setTimeout(() => during.abort(reason));
      return hang(sent, signal);
    };
    const slow = createFakeService([abortSoon]);
    await expect(slow.client.getUsage({ signal: during.signal })).rejects.toBe(reason);
    const waiting = new AbortController();
    const busy = createFakeService([
      () => {
        setTimeout(() => waiting.abort(reason));
        return Promise.resolve(problem('overloaded'));
      },
    ]);
    await expect(busy.client.getUsage({ signal: waiting.signal })).rejects.toBe(reason);
    expect(busy.sent).toHaveLength(1);
  });
});

describe('what surrounds an answer', () => {
  const told = {
    'X-Request-Id': 'req_7',
    'Idempotent-Replayed': 'true',
    'RateLimit-Policy': '"api-key";q=6000;w=60',
    RateLimit: '"api-key";r=5998;t=41',
  };

  it('is told before the call resolves: request, replay, rate limit', async () => {
    const forAll: Answer[] = [];
    const forOne: Answer[] = [];
    const answers = () => [new Response('{"listId":"lst_1"}', { status: 201, headers: told }), json({})];
    const { client } = createFakeService(answers(), { onAnswer: (answer) => forAll.push(answer) });
    await client.createList({ name: 'x', ongoing: true }, { onAnswer: (answer) => forOne.push(answer) });
    const rateLimit = { limit: 6000, windowMs: 60_000, remaining: 5998, resetMs: 41_000 };
    expect(forOne).toEqual([{ status: 201, requestId: 'req_7', replayed: true, rateLimit, deprecation: null }]);
    await client.getUsage();
    expect(forAll).toEqual([
      ...forOne,
      { status: 200, requestId: null, replayed: false, rateLimit: null, deprecation: null },
    ]);
  });

  it.each([
    [{ Deprecation: '@1798761600', Sunset: 'Sat, 01 Jan 2028 00:00:00 GMT' }, '2028-01-01T00:00:00.000Z'],
    [{ Deprecation: '@1798761600', Sunset: 'soon' }, null],
    [{ Deprecation: 'true', Sunset: 'Sat, 01 Jan 2028 00:00:00 GMT' }, undefined],
  ])('is told of an operation that goes: %j', async (headers, sunset) => {
    const found: Answer['deprecation'][] = [];
    const { client } = createFakeService([new Response('{}', { headers })], {
      onAnswer: ({ deprecation }) => found.push(deprecation),
    });
    await client.getUsage();
    const since = new Date('2027-01-01T00:00:00.000Z');
    const day = sunset === null ? null : new Date(sunset ?? '');
    expect(found).toEqual([sunset === undefined ? null : { since, sunset: day }]);
  });

  it('is not told of an attempt that failed, and what the listener throws is the call’s and not retried', async () => {
    const thrown = new Error('mine');
    const { client, sent } = createFakeService([problem('overloaded'), json({}), json({})]);
    const onAnswer = () => {
      throw thrown;
    };
    await expect(client.getUsage({ onAnswer })).rejects.toBe(thrown);
    expect(sent).toHaveLength(2);
  });

  it('names the client in each request', async () => {
    const { client, sent } = createFakeService([json({})]);
    await client.getUsage();
    expect(sent[0]?.headers.get('user-agent')).toBe('svc-server-sdk/test');
    expect(systemPlatform.userAgent).toMatch(
      new RegExp(`^svc-server-sdk/${version.replaceAll('.', '\\.')} Node\\.js/\\d+`),
    );
  });
});

describe('addresses', () => {
  it('carry any identifier as one segment', () => {
    expect(pathOf('/v1/people/{personId}/x', ['a/b?c#d e%é'])).toBe('/v1/people/a%2Fb%3Fc%23d%20e%25%C3%A9/x');
  });

  it.each(['', '.', '..', '\ud800', 'a\udc00'])('refuse %j, which would lead elsewhere', async (id) => {
    expect(pathOf('/v1/people/{personId}', [id])).toBeInstanceOf(TypeError);
    const { client, sent } = createFakeService([]);
    // Not thrown synchronously: the promise or the collection rejects.
    await expect(client.deletePerson('lst_1', id)).rejects.toThrow(TypeError);
    await expect(client.getPerson('lst_1', id)).rejects.toThrow(TypeError);
    await expect(client.getList(id)).rejects.toThrow(TypeError);
    await expect(client.enrolPerson(id, {} as never)).rejects.toThrow(TypeError);
    const people = client.listPeople(id);
    await expect(people[Symbol.asyncIterator]().next()).rejects.toThrow(TypeError);
    expect(sent).toEqual([]);
  });

  it.each([
    ['', 'a URL'],
    ['nonsense', 'a URL'],
    ['https://canary:canary@a b', 'a URL'],
    [undefined as unknown as string, 'a URL'],
    ['http://example.com', 'https'],
    ['ftp://localhost', 'https'],
    ['https://canary@example.com', 'a user'],
    ['https://:canary@example.com', 'a user'],
    ['http://canary:canary@localhost', 'a user'],
    ['https://example.com/?canary', 'a query'],
    ['https://example.com/#canary', 'a query'],
  ])('%j is not one of the service: it must be or not contain %s', (baseUrl, rule) => {
    const create = () => createSvcClient({ baseUrl, apiKey });
    expect(create).toThrow(TypeError);
    expect(create).toThrow(new RegExp(`^baseUrl must (be|not contain) ${rule}`));
    expect(create).not.toThrow(/canary/);
    for (const repeats of ['cause', 'input']) {
      expect(create).not.toThrow(expect.objectContaining({ [repeats]: expect.anything() as unknown }));
    }
  });

  it('may be http inside a network that is trusted', async () => {
    const { client, sent } = createFakeService([ok()], { baseUrl: 'http://svc.internal:8080', allowHttp: true });
    await client.getUsage();
    expect(sent[0]?.url.href).toBe('http://svc.internal:8080/v1/usage');
    expect(() => createSvcClient({ baseUrl: 'ftp://svc.internal', apiKey, allowHttp: true })).toThrow(TypeError);
  });

  it('are left at no redirection: the key goes nowhere else', async () => {
    const asked: string[] = [];
    const server = createServer(({ url = '' }, response) => {
      asked.push(url);
      response.writeHead(url === '/elsewhere' ? 200 : 307, { Location: '/elsewhere' }).end('{}');
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    try {
      const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      const client = createSvcClient({ baseUrl, apiKey, maxRetries: 0 });
      await expect(client.getUsage()).rejects.toBeInstanceOf(SvcConnectionError);
      expect(asked).toEqual(['/v1/usage']);
    } finally {
      server.close();
      server.closeAllConnections();
    }
  });

  it.each([
    ['https://gate.example.com/check-in/', 'https://gate.example.com/check-in/v1/usage'],
    ['https://gate.example.com//', 'https://gate.example.com/v1/usage'],
    [' https://gate.example.com:8443\n', 'https://gate.example.com:8443/v1/usage'],
  ])('keep a path of their own, and the key to themselves: %j', async (baseUrl, href) => {
    const { client, sent } = createFakeService([ok()], { baseUrl });
    await client.getUsage();
    expect(sent[0]?.url.href).toBe(href);
    expect(JSON.stringify(client)).not.toContain('svck');
  });

  it.each(['svcd_abc', '', 'svck_a b', 'svck_ä'])('no client is made of the key %j', (key) => {
    expect(() => createSvcClient({ baseUrl: 'https://eu.example.com', apiKey: key })).toThrow(/svck_/);
  });
});
