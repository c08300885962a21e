import { describe, expect, it } from 'vitest';
import { type ApiHost, createApi } from './client.ts';
import { ApiError } from './errors.ts';

interface Sent {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

const problem =
  (status: number, code: string, headers: Record<string, string> = {}) =>
  () =>
    new Response(JSON.stringify({ code, status, requestId: 'req_1', title: '', detail: '', type: '' }), {
      status,
      headers: { 'Content-Type': 'application/problem+json', ...headers },
    });
const json =
  (body: unknown, status = 200) =>
  () =>
    Response.json(body, { status });
const offline = (): Response => {
  throw new TypeError('fetch failed');
};

/** A client against answers in order; the last one repeats. */
function createTestApi(answers: readonly (() => Response)[], changed: Partial<ApiHost> = {}) {
  const sent: Sent[] = [];
  const waits: number[] = [];
  const told: string[] = [];
  let token: string | null = 'csrf-1';
  let keys = 0;
  const api = createApi({
    fetch: async (url, init) => {
      const { method = 'GET', headers, body } = init ?? {};
      sent.push({ url: String(url), method, headers: headers as Record<string, string>, body: body as string | null });
      const answer = answers[Math.min(sent.length, answers.length) - 1];
      if (answer === undefined) throw new Error('no answer');
      return answer();
    },
    csrfToken: () => token,
    renewSession: async () => {
      token = 'csrf-2';
    },
    reauthenticate: async () => {
      told.push('asked');
      token = 'csrf-2';
      return true;
    },
    onSignedOut: () => told.push('signed-out'),
    sleep: async (ms) => void waits.push(ms),
    newIdempotencyKey: () => {
      keys += 1;
      return `key-${keys}`;
    },
    ...changed,
  });
  return { api, sent, waits, told };
}

const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'answered',
    (error: unknown) => (error instanceof ApiError ? error.code : String(error)),
  );

const event = { params: { eventId: 'evt_1' } };

describe('a call', () => {
  it('is sent to the operation’s path, with its parameters encoded and its query', async () => {
    const { api, sent } = createTestApi([json({ items: [], nextCursor: null })]);
    await api.call('listPeople', { params: { listId: 'lst_1' }, query: { limit: 50 } });
    await api.call('getPerson', { params: { listId: 'lst_1', personId: 'a/b ?' } });
    expect(sent.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'GET /v1/lists/lst_1/people?limit=50',
      'GET /v1/lists/lst_1/people/a%2Fb%20%3F',
    ]);
  });

  it.each(['', '.', '..'])('with the parameter «%s» is refused here', async (eventId) => {
    const { api, sent } = createTestApi([json({})]);
    await expect(api.call('getEvent', { params: { eventId } })).rejects.toBeInstanceOf(TypeError);
    expect(sent).toEqual([]);
  });

  it('that reads carries neither token nor key', async () => {
    const { api, sent } = createTestApi([json({})]);
    await api.call('getEvent', event);
    expect(sent[0]?.headers).toEqual({ Accept: 'application/json' });
  });

  it('that changes carries the session’s token', async () => {
    const { api, sent } = createTestApi([() => new Response(null, { status: 204 })]);
    expect(await api.call('deleteEvent', event)).toBeUndefined();
    expect(sent[0]).toMatchObject({ method: 'DELETE', headers: { 'X-Csrf-Token': 'csrf-1' }, body: null });
    expect(sent[0]?.headers).not.toHaveProperty('Idempotency-Key');
  });

  it('that posts carries a key of its own, and the one that it was given', async () => {
    const { api, sent } = createTestApi([json({})]);
    const list = { params: { listId: 'lst_1' } };
    await api.call('closeEnrollment', list);
    await api.call('closeEnrollment', list);
    await api.call('closeEnrollment', { ...list, idempotencyKey: 'stored' });
    expect(sent.map(({ headers }) => headers['Idempotency-Key'])).toEqual(['key-1', 'key-2', 'stored']);
  });

  it('without a session carries no token', async () => {
    const { api, sent } = createTestApi([json({})], { csrfToken: () => null });
    await api.call('signInWithLink', { body: { token: 'svco_1' } });
    expect(sent[0]?.headers).not.toHaveProperty('X-Csrf-Token');
    expect(sent[0]?.body).toBe('{"token":"svco_1"}');
  });
});

describe('an error', () => {
  it('has the service’s code and request number', async () => {
    const { api } = createTestApi([problem(404, 'not-found')]);
    const error = await api.call('getEvent', event).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'not-found', requestId: 'req_1' });
  });

  it('of something else than the service says so', async () => {
    const { api } = createTestApi([() => new Response('<html>', { status: 418 })]);
    expect(await codeOf(api.call('getEvent', event))).toBe('unrecognised-answer');
    const cut = createTestApi([() => new Response('{"a":', { status: 200 })]);
    expect(await codeOf(cut.api.call('getEvent', event))).toBe('unrecognised-answer');
  });

  it('without a connection is retried, then told', async () => {
    const { api, sent, waits } = createTestApi([offline]);
    expect(await codeOf(api.call('getEvent', event))).toBe('no-connection');
    expect(sent).toHaveLength(4);
    expect(waits).toEqual([500, 1000, 2000]);
  });

  it('whose effect is not known is not repeated, unless it is a POST with its key', async () => {
    const removal = createTestApi([problem(500, 'internal-error')]);
    expect(await codeOf(removal.api.call('deleteEvent', event))).toBe('internal-error');
    expect(removal.sent).toHaveLength(1);
    const post = createTestApi([offline, json({ listId: 'lst_1' })]);
    expect(await codeOf(post.api.call('closeEnrollment', { params: { listId: 'lst_1' } }))).toBe('answered');
    expect(post.sent.map(({ headers }) => headers['Idempotency-Key'])).toEqual(['key-1', 'key-1']);
  });

  it.each([429, 503])('%i is waited for as long as the service says', async (status) => {
    const { api, waits, sent } = createTestApi([problem(status, 'rate-limited', { 'Retry-After': '7' }), json({})]);
    await api.call('updateEvent', { ...event, body: { name: 'A' } });
    expect(waits).toEqual([7000]);
    expect(sent).toHaveLength(2);
  });

  it('429 with a longer wait is told at once', async () => {
    const { api, waits } = createTestApi([problem(429, 'rate-limited', { 'Retry-After': '3600' })]);
    expect(await codeOf(api.call('getEvent', event))).toBe('rate-limited');
    expect(waits).toEqual([]);
  });

  it('401 tells that the session has ended, once there was one', async () => {
    const { api, told } = createTestApi([problem(401, 'invalid-credential')]);
    expect(await codeOf(api.call('getEvent', event))).toBe('invalid-credential');
    expect(told).toEqual(['signed-out']);
    const before = createTestApi([problem(401, 'invalid-credential')], { csrfToken: () => null });
    await codeOf(before.api.call('getSession'));
    expect(before.told).toEqual([]);
  });
});

describe('a call that needs a fresh authentication', () => {
  const refused = problem(403, 'reauthentication-required');

  it('asks, and is repeated with the new token and the former key', async () => {
    const { api, sent, told } = createTestApi([refused, json({ apiKey: 'svck_1' })]);
    await api.call('createApiKey', { body: { name: 'Shop' } });
    expect(told).toEqual(['asked']);
    expect(sent.map(({ headers }) => [headers['X-Csrf-Token'], headers['Idempotency-Key']])).toEqual([
      ['csrf-1', 'key-1'],
      ['csrf-2', 'key-1'],
    ]);
  });

  it('is not repeated when the person does not want to', async () => {
    const { api, sent } = createTestApi([refused], { reauthenticate: async () => false });
    expect(await codeOf(api.call('deleteEvent', event))).toBe('reauthentication-required');
    expect(sent).toHaveLength(1);
  });

  it('asks once', async () => {
    const { api, told } = createTestApi([refused]);
    expect(await codeOf(api.call('deleteEvent', event))).toBe('reauthentication-required');
    expect(told).toEqual(['asked']);
  });
});

it('a call is given up with its signal, also between attempts', async () => {
  const stop = new AbortController();
  const { api } = createTestApi([offline], {
    sleep: async () => {
      stop.abort(new Error('left the page'));
      throw stop.signal.reason;
    },
  });
  await expect(api.call('getEvent', { ...event, signal: stop.signal })).rejects.toThrow('left the page');
});
