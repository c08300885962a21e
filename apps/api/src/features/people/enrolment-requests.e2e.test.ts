import { request as httpRequest } from 'node:http';
import { consentVersionPublishedAt, MAX_ENROLMENT_BODY_BYTES } from '@svc/protocol';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import {
  type BodyOptions,
  base64,
  createList,
  enrolBody,
  enrolPerson,
  inDatabase,
} from '../../testing/enrolment-fixture.ts';
import {
  createFakeInference,
  createManualClock,
  type FakeInference,
  type ManualClock,
  startTestApi,
  type TestApi,
  type TestCustomer,
} from '../../testing/index.ts';

let api: TestApi;
let customer: TestCustomer;
let inference: FakeInference;
let clock: ManualClock;

beforeAll(async () => {
  inference = createFakeInference();
  clock = createManualClock();
  api = await startTestApi(inject('postgres'), { createInference: () => inference, clock });
});
afterAll(() => api.close());
beforeEach(async () => {
  inference.hold = null;
  inference.places = 1_000;
  customer = await api.customer({ country: 'DE' });
});

const body = (o: BodyOptions = {}) => enrolBody(clock, o);
const enrol = (listId: string, request: unknown = body(), owner = customer) => enrolPerson(listId, request, owner);

describe('400', () => {
  const wrongConsents = [
    ['no explicit consent', { explicitBiometricConsent: false }, '/consent/explicitBiometricConsent'],
    ['explicit consent absent', { explicitBiometricConsent: undefined }, '/consent/explicitBiometricConsent'],
    ['explicit consent as a text', { explicitBiometricConsent: 'true' }, '/consent/explicitBiometricConsent'],
    ['no written release', { writtenRelease: false }, '/consent/writtenRelease'],
    ['written release as a number', { writtenRelease: 1 }, '/consent/writtenRelease'],
    ['no guardian for a child', { under16: true }, '/consent/guardianConsent'],
    ['under16 as a text', { under16: 'no' }, '/consent/under16'],
    ['no version', { consentVersion: undefined }, '/consent/consentVersion'],
    ['no time', { givenAt: undefined }, '/consent/givenAt'],
    ['a time without zone', { givenAt: '2026-01-01T00:00:00' }, '/consent/givenAt'],
    ['a time with an offset', { givenAt: '2026-01-01T00:00:00+02:00' }, '/consent/givenAt'],
    ['no time at all', { givenAt: 'yesterday' }, '/consent/givenAt'],
  ] as const;
  it.each(wrongConsents)('consent: %s', async (_name, consent, pointer) => {
    const listId = await createList(customer);
    const before = inference.sealed;
    const answer = await enrol(listId, body({ consent }));
    expect(answer.status).toBe(400);
    expect(answer.headers.get('content-type')).toMatch('application/problem+json');
    expect(answer.body).toMatchObject({ code: 'invalid-request', errors: [{ pointer }] });
    expect(inference.sealed).toBe(before);
  });

  it('consent: given more than five minutes ahead', async () => {
    const listId = await createList(customer);
    const at = (ms: number) => body({ consent: { givenAt: new Date(clock.now() + ms).toISOString() } });
    expect((await enrol(listId, at(5 * 60_000))).status).toBe(201);
    expect((await enrol(listId, at(5 * 60_000 + 1))).status).toBe(400);
  });

  it.each([
    ['missing', undefined, 400],
    ['empty', '', 400],
    ['a number', 17, 400],
    ['null', null, 400],
    ['200 code points outside the BMP', '𝕏'.repeat(200), 201],
    ['201 characters', 'x'.repeat(201), 400],
    ['with NUL', 'a\0b', 400],
    ['with a lone surrogate', 'a\ud800b', 400],
    ['a single space', ' ', 201],
  ])('personId: %s', async (_name, personId, status) => {
    const listId = await createList(customer);
    expect((await enrol(listId, body({ personId }))).status).toBe(status);
  });

  it('does not normalise a personId', async () => {
    const listId = await createList(customer);
    await enrol(listId, body({ personId: 'caf\u00e9' }));
    await enrol(listId, body({ personId: 'cafe\u0301' }));
    const people = await customer.request<{ items: unknown[] }>('GET', `/v1/lists/${listId}/people`);
    expect(people.body.items).toHaveLength(2);
  });

  it.each([
    ['missing', undefined],
    ['empty', ''],
    ['base64url', 'ab-_'],
    ['one character', 'a'],
    ['a data URL', 'data:image/jpeg;base64,YWJj'],
    ['padding in the middle', 'YQ==YWJj'],
    ['a number', 5],
  ])('imageBase64: %s', async (_name, imageBase64) => {
    const listId = await createList(customer);
    const answer = await enrol(listId, { ...body(), imageBase64 });
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ code: 'invalid-request', errors: [{ pointer: '/imageBase64' }] });
  });

  it.each([
    ['without padding', 'YSBmYQ'],
    ['with line breaks', 'YSBm\r\nYWNl\r\n'],
    ['with escapes that JSON allows', 'YSBmYWNl', (json: string) => json.replace('YSBmYWNl', 'YSBm\\u0059WNl')],
  ])('imageBase64: %s is read', async (_name, imageBase64, write = (json: string) => json) => {
    const listId = await createList(customer);
    expect((await enrol(listId, write(JSON.stringify({ ...body(), imageBase64 })))).status).toBe(201);
  });

  it('imageBase64: a data URL is told what has to go', async () => {
    const answer = await enrol(await createList(customer), { ...body(), imageBase64: 'data:image/jpeg;base64,YWJj' });
    expect(JSON.stringify(answer.body.errors)).toContain('data URL');
  });

  it('a minor whose age is misspelt is not enrolled', async () => {
    const listId = await createList(customer);
    const answer = await enrol(listId, body({ consent: { underSixteen: true } }));
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ code: 'unknown-parameter', errors: [{ pointer: '/consent/underSixteen' }] });
    expect((await enrol(listId, { ...body(), imageBase64Extra: 'YWJj' })).body).toMatchObject({
      errors: [{ pointer: '/imageBase64Extra' }],
    });
    const people = await customer.request<{ items: unknown[] }>('GET', `/v1/lists/${listId}/people`);
    expect(people.body.items).toEqual([]);
  });

  it('consent: given before its wording was published', async () => {
    const listId = await createList(customer);
    const publishedMs = Date.parse(consentVersionPublishedAt['eu-v2']);
    const at = (ms: number) => body({ consent: { givenAt: new Date(ms).toISOString() } });
    expect((await enrol(listId, at(publishedMs))).status).toBe(201);
    expect((await enrol(listId, at(publishedMs - 1))).body).toMatchObject({
      code: 'invalid-request',
      errors: [{ pointer: '/consent/givenAt' }],
    });
  });

  it('an image that does not decode', async () => {
    const answer = await enrol(await createList(customer), body({ image: 'broken' }));
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ code: 'image-invalid' });
  });

  it.each(['', '{', 'null', '[]', '"text"', '\ufeff{}', '{"personId":"a"}'])('body: %j', async (text) => {
    const listId = await createList(customer);
    expect((await enrol(listId, text || ' ')).status).toBe(400);
  });

  it('body: not UTF-8', async () => {
    const listId = await createList(customer);
    const response = await fetch(`${api.url}/v1/lists/${listId}/people`, {
      method: 'POST',
      headers: { 'X-Api-Key': customer.apiKey, 'Content-Type': 'application/json' },
      body: Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]),
    });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ code: 'invalid-json' });
  });
});

describe('413', () => {
  it('by Content-Length, before the key is looked at and without a body', async () => {
    const answer = await new Promise<number | undefined>((resolve, reject) => {
      const request = httpRequest(`${api.url}/v1/lists/any/people`, {
        method: 'POST',
        headers: { 'Content-Length': MAX_ENROLMENT_BODY_BYTES + 1, Expect: '100-continue' },
      });
      request.on('continue', () => reject(new Error('the body was asked for')));
      request.on('response', (response) => {
        resolve(response.statusCode);
        request.destroy();
      });
      request.on('error', reject);
      request.flushHeaders();
    });
    expect(answer).toBe(413);
  });

  it('while streaming, when no length was declared', async () => {
    const listId = await createList(customer);
    const chunk = Buffer.alloc(1 << 20, 'A');
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const request = httpRequest(`${api.url}/v1/lists/${listId}/people`, {
        method: 'POST',
        headers: { 'X-Api-Key': customer.apiKey, 'Content-Type': 'application/json' },
      });
      request.on('response', (response) => {
        resolve(response.statusCode);
        request.destroy();
      });
      request.on('error', reject);
      for (let i = 0; i < 17; i += 1) request.write(chunk);
      request.end();
    });
    expect(status).toBe(413);
  });

  it('not at exactly 15 · 2²⁰ bytes', async () => {
    const listId = await createList(customer);
    const { imageBase64: _, ...rest } = body();
    const photo = 'A'.repeat(MAX_ENROLMENT_BODY_BYTES - 1024);
    const exact = JSON.stringify({ ...rest, imageBase64: photo }).padEnd(MAX_ENROLMENT_BODY_BYTES, ' ');
    expect(Buffer.byteLength(exact)).toBe(MAX_ENROLMENT_BODY_BYTES);
    expect((await enrol(listId, exact)).status).toBe(201);
    const answer = await enrol(listId, `${exact} `);
    expect([answer.status, answer.body.code]).toEqual([413, 'request-too-large']);
  });
});

describe('415', () => {
  it.each([
    ['text/plain', {}, 415],
    ['application/json; charset=latin1', {}, 415],
    ['application/json; charset=UTF-8', {}, 201],
    ['APPLICATION/JSON', {}, 201],
    ['application/json', { 'Content-Encoding': 'gzip' }, 415],
    ['application/jsonp', {}, 415],
  ])('%s %j', async (type, headers, status) => {
    const listId = await createList(customer);
    const answer = await customer.request('POST', `/v1/lists/${listId}/people`, body(), {
      headers: { 'Content-Type': type, ...headers },
    });
    expect(answer.status).toBe(status);
  });
});

describe('422', () => {
  it.each([
    'no-face',
    'several-faces',
    'face-too-small',
    'too-dark',
    'too-bright',
    'blurred',
    'turned-away',
    'covered',
  ])('%s, with what was measured', async (reason) => {
    const answer = await enrol(await createList(customer), body({ image: reason }));
    expect(answer.status).toBe(422);
    expect(answer.body).toMatchObject({ code: reason, measured: 1, limit: 2 });
  });

  it('leaves a person that is there as he was, and the bill too', async () => {
    const listId = await createList(customer);
    const { deleteAfter } = (await enrol(listId)).body;
    clock.advance(1);
    await enrol(listId, body({ image: 'no-face' }));
    await enrol(listId, body({ personId: 'other', image: 'no-face' }));
    expect((await customer.request('GET', `/v1/lists/${listId}/people/ticket-1`)).body.deleteAfter).toBe(deleteAfter);
    const [bill] = await inDatabase<{ people_billed: number }>(
      api,
      'SELECT people_billed FROM accounts WHERE account_id = $1',
      [customer.accountId],
    );
    expect(bill?.people_billed).toBe(1);
  });
});

describe('503', () => {
  it('before the body is read, when every place is taken; a place is given back after every outcome', async () => {
    const listId = await createList(customer);
    for (const image of ['a face', 'no-face', 'broken']) await enrol(listId, body({ image }));
    await enrol(listId, '{');
    await enrol('nonsense');
    expect(inference.admitted).toBe(0);
    inference.places = 0;
    const answer = await enrol(listId, '{');
    expect([answer.status, answer.body.code]).toEqual([503, 'overloaded']);
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await fetch(`${api.url}/healthz`)).status).toBe(200);
  });
});

describe('the order of the checks', () => {
  it('413 → 401 → 503 → 404 → 400 → 409 → 402 → image', async () => {
    const poor = await api.customer({ country: 'DE', plan: null });
    const listId = await createList(poor);
    const oversized = 'x'.repeat(MAX_ENROLMENT_BODY_BYTES + 1);
    const wrong = { image: 'broken', consent: { consentVersion: 'us-v2' } };
    const send = async (path: string, request: unknown, headers?: Record<string, string>) =>
      (await poor.request('POST', `/v1/lists/${path}/people`, request, { ...(headers ? { headers } : {}) })).status;

    inference.places = 0;
    expect(await send('nonsense', oversized, { 'X-Api-Key': 'wrong' })).toBe(413);
    expect(await send('nonsense', '{', { 'X-Api-Key': 'wrong' })).toBe(401);
    expect(await send('nonsense', '{')).toBe(503);
    inference.places = 1;
    expect(await send('nonsense', '{')).toBe(404);
    expect(await send(listId, '{')).toBe(400);
    expect(await send(listId, { ...body(wrong), personId: '' })).toBe(400);
    expect(await send(listId, body(wrong))).toBe(409);
    expect(await send(listId, body({ image: 'broken' }))).toBe(402);
    await api.admin.plans.set(poor.accountId, 'pilot');
    expect(await send(listId, body({ image: 'broken' }))).toBe(400);
    expect(await send(listId, body({ image: 'no-face' }))).toBe(422);
    expect(await send(listId, body())).toBe(201);
  });
});

describe('people named by dots, slashes and queries', () => {
  let listId: string;
  beforeEach(async () => {
    listId = await createList(customer);
  });

  const enrol = (personId: string) => enrolPerson(listId, enrolBody(clock, { personId }), customer);
  const peopleOf = async (query: string) => {
    const { body } = await customer.request<{ items: { personId: string }[]; nextCursor: null }>(
      'GET',
      `/v1/lists/${listId}/people${query}`,
    );
    expect(body.nextCursor).toBeNull();
    return body.items.map(({ personId }) => personId);
  };

  /** Sends a path unchanged; `fetch` and other clients of the URL standard would resolve its dot segments. */
  function sendRaw(method: string, path: string): Promise<number> {
    const { hostname, port } = new URL(api.url);
    return new Promise((resolve, reject) => {
      const headers = { 'X-Api-Key': customer.apiKey };
      const sent = httpRequest({ hostname, port, method, path, headers }, (response) => {
        response.resume().on('end', () => resolve(response.statusCode ?? 0));
      });
      sent.on('error', reject).end();
    });
  }

  it.each(['.', '..'])('a person called %j is read and erased by the query, where Location leads', async (personId) => {
    const location = (await enrol(personId)).headers.get('location') ?? '';
    expect(location).toBe(`/v1/lists/${listId}/people?personId=${personId}`);
    expect(new URL(location, api.url).href).toBe(`${api.url}${location}`);
    expect(await peopleOf(`?personId=${personId}`)).toEqual([personId]);
    expect((await customer.request('DELETE', location)).status).toBe(204);
    expect(await peopleOf(`?personId=${personId}`)).toEqual([]);
    expect((await customer.request('DELETE', location)).status).toBe(404);
  });

  it.each(['a/b', 'a%2Fb', 'a%252Fb', '%2e%2e', 'a\r\nX-Injected: 1', '?personId=a&b#c'])(
    'a person called %j is one name in Location and in a path, decoded once',
    async (personId) => {
      const answer = await enrol(personId);
      const location = `/v1/lists/${listId}/people/${encodeURIComponent(personId)}`;
      expect([answer.headers.get('location'), answer.headers.get('x-injected')]).toEqual([location, null]);
      expect((await customer.request('GET', location)).body.personId).toBe(personId);
      // If it had been decoded twice or not at all, there would be no such person to erase.
      expect((await customer.request('DELETE', location)).status).toBe(204);
      expect(await peopleOf(`?personId=${encodeURIComponent(personId)}`)).toEqual([]);
    },
  );

  it.each(['..', '.', '%2e%2e', '%2E', '../', './..'])(
    'DELETE …/people/%s is 404 and deletes nothing',
    async (path) => {
      await enrol('somebody');
      expect((await customer.request('DELETE', `/v1/lists/${listId}/people/${path}`)).status).toBe(404);
      expect(await sendRaw('DELETE', `/v1/lists/${listId}/people/${path}`)).toBe(404);
      expect((await customer.request('GET', `/v1/lists/${listId}`)).status).toBe(200);
      expect(await peopleOf('')).toEqual(['somebody']);
    },
  );

  it('every personId works in the query, and a deletion requires one', async () => {
    await enrol('a/b & c');
    expect(await peopleOf('?personId=a%2Fb%20%26%20c')).toEqual(['a/b & c']);
    expect(await peopleOf('?personId=')).toEqual([]);
    for (const query of ['', '?reason=consent-withdrawn', '?personId=a&personId=b', '?personId=a&reason=other']) {
      const answer = await customer.request('DELETE', `/v1/lists/${listId}/people${query}`);
      expect([query, answer.status, answer.body.code]).toEqual([query, 400, 'invalid-request']);
    }
    expect((await customer.request('DELETE', `/v1/lists/${listId}/people?personId=nobody`)).status).toBe(404);
    expect(await peopleOf('?personId=a%2Fb%20%26%20c')).toEqual(['a/b & c']);
    const other = await api.customer();
    expect((await other.request('DELETE', `/v1/lists/${listId}/people?personId=somebody`)).status).toBe(404);
  });
});

describe('further photos of a person', () => {
  let listId: string;
  beforeEach(async () => {
    listId = await createList(customer);
  });

  const bodyWith = (additionalImagesBase64: unknown, over: Parameters<typeof enrolBody>[1] = {}) => ({
    ...enrolBody(clock, over),
    additionalImagesBase64,
  });
  const photos = (...texts: string[]) => texts.map(base64);
  const enrol = (request: object) => enrolPerson(listId, request, customer);

  it.each([1, 2, 3, 4])('%i: one record, which takes one place of the plan', async (count) => {
    const answer = await enrol(bodyWith(Array.from({ length: count }, () => base64('a face'))));
    expect([answer.status, Object.keys(answer.body)]).toEqual([201, ['personId', 'modelId', 'deleteAfter']]);
    const faces = await inDatabase(api, 'SELECT octet_length(record) AS bytes FROM faces WHERE list_id = $1', [listId]);
    expect(faces).toEqual([{ bytes: 320 }]);
  });

  it.each<[string, unknown, string]>([
    ['an empty array', [], '/additionalImagesBase64'],
    ['five photos', photos('1', '2', '3', '4', '5'), '/additionalImagesBase64'],
    ['one that is not in an array', base64('a face'), '/additionalImagesBase64'],
    ['null', null, '/additionalImagesBase64'],
    ['one that is no base64', [base64('a face'), 'a face'], '/additionalImagesBase64/1'],
    ['a number', [7], '/additionalImagesBase64/0'],
  ])('400: %s', async (_name, additional, pointer) => {
    const sealed = inference.sealed;
    const answer = await enrol(bodyWith(additional));
    expect(answer).toMatchObject({ status: 400, body: { code: 'invalid-request', errors: [{ pointer }] } });
    expect(inference.sealed).toBe(sealed);
  });

  it('413: more than 15 MB in all', async () => {
    const photo = base64('a'.repeat(5 * 2 ** 20));
    expect(await enrol(bodyWith([photo, photo, photo]))).toMatchObject({
      status: 413,
      body: { code: 'request-too-large' },
    });
  });

  it.each([
    ['no-face', 422, 0],
    ['too-dark', 422, 2],
    ['broken', 400, 1],
  ] as const)('one that is refused is pointed at: %s', async (text, status, i) => {
    const additional = photos('a face', 'a face', 'a face');
    additional[i] = base64(text);
    const answer = await enrol(bodyWith(additional));
    const code = text === 'broken' ? 'image-invalid' : text;
    const errors = [{ pointer: `/additionalImagesBase64/${i}`, detail: expect.any(String) as string }];
    expect(answer).toMatchObject({ status, body: { code, errors } });
    const first = await enrol(bodyWith(photos('a face'), { image: text }));
    expect([first.body.code, first.body.errors]).toEqual([code, undefined]);
    expect(await inDatabase(api, 'SELECT 1 FROM faces WHERE list_id = $1', [listId])).toEqual([]);
  });

  it('422: one of another person than the first', async () => {
    const answer = await enrol(bodyWith(photos('a face', 'another person')));
    const errors = [{ pointer: '/additionalImagesBase64/1' }];
    expect(answer).toMatchObject({ status: 422, body: { code: 'different-person', errors } });
    expect(await inDatabase(api, 'SELECT 1 FROM faces WHERE list_id = $1', [listId])).toEqual([]);
    // The first photo determines the template.
    const swapped = await enrol(bodyWith(photos('a face'), { image: 'another person' }));
    expect(swapped.body).toMatchObject({
      code: 'different-person',
      errors: [{ pointer: '/additionalImagesBase64/0' }],
    });
  });

  it('consent is checked before any of them', async () => {
    const sealed = inference.sealed;
    const unticked = { consent: { writtenRelease: false } };
    expect(await enrol(bodyWith(photos('another person'), unticked))).toMatchObject({ status: 400 });
    const otherWording = { consent: { consentVersion: 'us-v2' } };
    expect(await enrol(bodyWith(photos('another person'), otherWording))).toMatchObject({ status: 409 });
    expect(inference.sealed).toBe(sealed);
  });

  it('a repeat is answered as the first request; another photo is another request', async () => {
    const send = (request: object) =>
      customer.request('POST', `/v1/lists/${listId}/people`, request, { headers: { 'Idempotency-Key': 'photos' } });
    const request = bodyWith(photos('a face', 'b face'));
    const first = await send(request);
    clock.advance(1_000);
    const again = await send(request);
    expect([again.status, again.body, again.headers.get('idempotent-replayed')]).toEqual([201, first.body, 'true']);
    const other = await send({ ...request, additionalImagesBase64: photos('a face', 'c face') });
    expect(other).toMatchObject({ status: 422, body: { code: 'idempotency-key-reused' } });
  });
});
