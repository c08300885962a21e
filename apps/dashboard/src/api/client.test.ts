import { readdirSync, readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { api, cache, confirmation, storeSession } from './client.ts';
import { ApiError } from './errors.ts';
import { forgetKept, kept, onForgotten } from './kept.ts';
import type { Session } from './operations.ts';

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

const signIn = (csrfToken: string, userId = 'usr_1') => storeSession({ csrfToken, user: { userId } } as Session);

/** The service's answers in order; the last one repeats. @returns what is sent, and when */
function answerWith(...answers: readonly (() => Response)[]) {
  const sent: Sent[] = [];
  const times: number[] = [];
  vi.stubGlobal('fetch', async (url: string, { method, headers, body }: RequestInit) => {
    times.push(Date.now());
    sent.push({ url, method, headers, body } as Sent);
    return answers[Math.min(sent.length, answers.length) - 1]?.();
  });
  const waits = () => times.slice(1).map((at, nth) => at - (times[nth] ?? 0));
  return { sent, waits };
}

/** What a call comes to, however long it waits: `answered`, or the error's code. */
async function outcomeOf(promise: Promise<unknown>): Promise<string> {
  const settled = promise.then(
    () => 'answered',
    (error: unknown) => (error instanceof ApiError ? error.code : String(error)),
  );
  await vi.runAllTimersAsync();
  return settled;
}

const event = { params: { eventId: 'evt_1' } };
const list = { params: { listId: 'lst_1' } };

const DRAFT = 'svcd-draft-event:acc_1:usr_1';
let stored: Record<string, string>;
let databases: Set<string>;

beforeEach(() => {
  vi.useFakeTimers();
  // As in a browser, the names are the object's own.
  stored = Object.create({
    getItem: (name: string) => stored[name] ?? null,
    setItem: (name: string, value: string) => Object.assign(stored, { [name]: value }),
    removeItem: (name: string) => delete stored[name],
  });
  for (const name of [DRAFT, 'svck-kiosk', ...kept.browser]) stored[name] = '';
  stored['svcd-owner'] = 'usr_1';
  databases = new Set(['svcd-imports', 'svc-kiosk']);
  const deleteDatabase = (name: string) =>
    Object.defineProperty({}, 'onsuccess', { set: (tell) => databases.delete(name) && tell() });
  vi.stubGlobal('localStorage', stored);
  vi.stubGlobal('indexedDB', { deleteDatabase });
  signIn('csrf-1');
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  cache.clear();
});

describe('a call', () => {
  it('is sent to the operation’s path, with its parameters encoded and its query', async () => {
    const { sent } = answerWith(json({ items: [], nextCursor: null }));
    await api.call('listPeople', { ...list, query: { limit: 50 } });
    await api.call('getPerson', { params: { listId: 'lst_1', personId: 'a/b ?' } });
    expect(sent.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'GET /v1/lists/lst_1/people?limit=50',
      'GET /v1/lists/lst_1/people/a%2Fb%20%3F',
    ]);
  });

  it.each(['', '.', '..'])('with the parameter “%s” is refused here', async (eventId) => {
    const { sent } = answerWith(json({}));
    await expect(api.call('getEvent', { params: { eventId } })).rejects.toBeInstanceOf(TypeError);
    expect(sent).toEqual([]);
  });

  it('that changes carries the session’s token, and one that reads does not; neither has a key', async () => {
    const { sent } = answerWith(json({}), () => new Response(null, { status: 204 }));
    await api.call('getEvent', event);
    expect(await api.call('deleteEvent', event)).toBeUndefined();
    const headers = { Accept: 'application/json' };
    expect(sent.map(({ url: _, ...request }) => request)).toEqual([
      { method: 'GET', headers, body: null },
      { method: 'DELETE', headers: { ...headers, 'X-Csrf-Token': 'csrf-1' }, body: null },
    ]);
  });

  it('that posts carries a key of its own, and the one that it was given', async () => {
    const { sent } = answerWith(json({}));
    await api.call('closeEnrollment', list);
    await api.call('closeEnrollment', list);
    await api.call('closeEnrollment', { ...list, idempotencyKey: 'stored' });
    const keys = sent.map(({ headers }) => headers['Idempotency-Key']);
    expect([new Set(keys).size, keys[2]]).toEqual([3, 'stored']);
  });

  it('without a session carries no token', async () => {
    storeSession(null);
    const { sent } = answerWith(json({}));
    await api.call('signInWithLink', { body: { token: 'svco_1' } });
    expect(sent[0]?.headers).not.toHaveProperty('X-Csrf-Token');
    expect(sent[0]?.body).toBe('{"token":"svco_1"}');
  });

  it('is given up with its signal, also between attempts', async () => {
    const stop = new AbortController();
    answerWith(offline);
    setTimeout(() => stop.abort('left the page'), 700);
    expect(await outcomeOf(api.call('getEvent', { ...event, signal: stop.signal }))).toBe('left the page');
  });
});

describe('an error', () => {
  it('has the service’s code and request number', async () => {
    answerWith(problem(404, 'not-found'));
    const error = await api.call('getEvent', event).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'not-found', requestId: 'req_1' });
  });

  it.each([
    ['<html>', 418],
    ['{"a":', 200],
  ])('of something else than the service says so: %s', async (text, status) => {
    answerWith(() => new Response(text, { status }));
    expect(await outcomeOf(api.call('getEvent', event))).toBe('unrecognised-answer');
  });

  it('without a connection is retried, then told', async () => {
    const { waits } = answerWith(offline);
    expect(await outcomeOf(api.call('getEvent', event))).toBe('no-connection');
    expect(waits()).toEqual([500, 1000, 2000]);
  });

  it('whose effect is not known is not repeated, unless it is a POST with its key', async () => {
    const removal = answerWith(problem(500, 'internal-error'));
    expect(await outcomeOf(api.call('deleteEvent', event))).toBe('internal-error');
    expect(removal.sent).toHaveLength(1);
    const post = answerWith(offline, json({ listId: 'lst_1' }));
    expect(await outcomeOf(api.call('closeEnrollment', list))).toBe('answered');
    const [first, second] = post.sent.map(({ headers }) => headers['Idempotency-Key']);
    expect(second).toBe(first);
  });

  it.each([
    [429, '7', 'answered', [7000]],
    [503, '7', 'answered', [7000]],
    [429, '3600', 'rate-limited', []],
  ])('%i is waited for as long as the service says, but not for %s s: %s', async (status, after, outcome, waited) => {
    const { waits } = answerWith(problem(status, 'rate-limited', { 'Retry-After': after }), json({}));
    expect(await outcomeOf(api.call('updateEvent', { ...event, body: { name: 'A' } }))).toBe(outcome);
    expect(waits()).toEqual(waited);
  });

  const renewed = (csrfToken: string, userId: string) => json({ csrfToken, user: { userId } });
  const outOfDate = problem(403, 'csrf-token-invalid');
  const ended = problem(401, 'invalid-credential');

  it.each([
    ['a renewed one', 'answered', ['csrf-1', undefined, 'csrf-2'], [outOfDate, renewed('csrf-2', 'usr_1'), json({})]],
    ['a sign-in anew', 'answered', ['csrf-1', undefined, 'csrf-2'], [ended, renewed('csrf-2', 'usr_1'), json({})]],
    ['another person', 'csrf-token-invalid', ['csrf-1', undefined], [outOfDate, renewed('csrf-2', 'usr_2'), json({})]],
    ['a live one', 'invalid-credential', ['csrf-1', undefined], [ended, renewed('csrf-1', 'usr_1'), json({})]],
  ] as const)('of the session is tried again with that of another tab: %s', async (_, outcome, tokens, answers) => {
    const { sent } = answerWith(...answers);
    expect(await outcomeOf(api.call('deleteEvent', event))).toBe(outcome);
    expect(sent.map(({ headers }) => headers['X-Csrf-Token'])).toEqual(tokens);
    expect(databases.has('svcd-imports')).toBe(outcome !== 'csrf-token-invalid');
  });

  it('that passes is not waited for on behalf of the next person', async () => {
    const { sent } = answerWith(problem(503, 'unavailable', { 'Retry-After': '7' }), json({}));
    setTimeout(() => signIn('csrf-2', 'usr_2'), 1_000);
    expect(await outcomeOf(api.call('deleteEvent', event))).toBe('unavailable');
    expect(sent).toHaveLength(1);
  });

  it('401 ends the session, once there was one', async () => {
    answerWith(problem(401, 'invalid-credential'));
    expect(await outcomeOf(api.call('getEvent', event))).toBe('invalid-credential');
    expect(cache.getQueryData(['session', 'getSession', {}])).toBeNull();
    cache.clear();
    await outcomeOf(api.call('getSession'));
    expect(cache.getQueryData(['session', 'getSession', {}])).toBeUndefined();
  });
});

describe('a call that needs a fresh authentication', () => {
  const refused = problem(403, 'reauthentication-required');
  let asked: number;

  /** What the person answers. */
  function answer(isConfirmed: boolean): void {
    asked = 0;
    const stop = confirmation.watch(() => {
      if (!confirmation.isAsked()) return;
      asked += 1;
      signIn('csrf-2');
      setTimeout(() => {
        stop();
        confirmation.answer(isConfirmed);
      });
    });
  }

  it('asks, also after another tab has renewed the session, and is repeated with the new token and its key', async () => {
    answer(true);
    const session = json({ csrfToken: 'csrf-3', user: { userId: 'usr_1' } });
    const { sent } = answerWith(problem(403, 'csrf-token-invalid'), session, refused, json({ apiKey: 'svck_1' }));
    expect(await outcomeOf(api.call('createApiKey', { body: { name: 'Shop' } }))).toBe('answered');
    expect(sent.map(({ headers }) => headers['X-Csrf-Token'])).toEqual(['csrf-1', undefined, 'csrf-3', 'csrf-2']);
    expect(sent[3]?.headers['Idempotency-Key']).toBe(sent[0]?.headers['Idempotency-Key']);
  });

  it.each([
    [false, 1],
    [true, 2],
  ])('asks once, and is repeated only when the person confirms: %s', async (isConfirmed, requests) => {
    answer(isConfirmed);
    const { sent } = answerWith(refused);
    expect(await outcomeOf(api.call('deleteEvent', event))).toBe('reauthentication-required');
    expect([sent.length, asked]).toEqual([requests, 1]);
  });
});

describe('what the browser keeps', () => {
  const signedOut = () => delete stored['svcd-owner'];
  it.each([
    ['a sign-out', () => forgetKept('person'), []],
    ['an end by the service', () => api.call('getEvent', event), [DRAFT, 'svcd-owner']],
    ['an end while no page was open', () => api.call('getSession'), [DRAFT, 'svcd-owner']],
    ['a sign-in of another person', async () => signIn('csrf-2', 'usr_2'), ['svcd-owner']],
    [
      'another tab’s sign-out and sign-in',
      async () => signedOut() && signIn('csrf-2', 'usr_2'),
      ['svcd-imports', 'svcd-owner'],
    ],
    ['a sign-in of the same person', async () => signIn('csrf-2'), [DRAFT, 'svcd-imports', 'svcd-owner']],
  ] as const)('is, after %s, what that person may find, and what other pages keep', async (how, end, expected) => {
    answerWith(problem(401, 'invalid-credential'));
    if (how.includes('no page')) cache.clear();
    const stopped = vi.fn();
    const stop = onForgotten(stopped);
    await outcomeOf(end());
    stop();
    const others = ['svc-kiosk', 'svck-kiosk', ...kept.browser];
    expect([...Object.keys(stored), ...databases].sort()).toEqual([...expected, ...others].sort());
    expect(stopped.mock.calls.length === 0).toBe(databases.has('svcd-imports'));
  });

  it('is on the list', () => {
    const folder = new URL('..', import.meta.url);
    const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).flatMap((file) => {
      const text = /(?<!\.test)\.tsx?$/.test(file) ? readFileSync(new URL(file, folder), 'utf8') : '';
      if (!/\b((local|session)Storage|indexedDB|caches|cookieStore|document\.cookie)\b/.test(text)) return [];
      const own = [...text.matchAll(/['`](svcd-[a-z-]+)/g)].map(([, name = '']) => name);
      return own.length === 0 ? file : own;
    });
    expect([...new Set(names)].sort()).toEqual(Object.values(kept).flat().sort());
  });
});
