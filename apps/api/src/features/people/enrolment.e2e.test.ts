import { randomBytes } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { MAX_ENROLMENT_BODY_BYTES, PILOT_PLAN_PEOPLE } from '@svc/protocol';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { openDatabase } from '../../db/connection.ts';
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

const base64 = (text: string) => Buffer.from(text).toString('base64');

function body(o: { personId?: unknown; image?: string; consent?: object } = {}) {
  return {
    personId: 'personId' in o ? o.personId : 'ticket-1',
    imageBase64: base64(o.image ?? 'a face'),
    consent: {
      consentVersion: 'eu-v2',
      givenAt: new Date(clock.now()).toISOString(),
      explicitBiometricConsent: true,
      writtenRelease: true,
      under16: false,
      guardianConsent: false,
      ...o.consent,
    },
  };
}

async function createList(owner = customer, request: object = { name: 'Members', ongoing: true }): Promise<string> {
  const created = await owner.request<{ listId: string }>('POST', '/v1/lists', request);
  expect(created.status).toBe(201);
  return created.body.listId;
}

const enrol = (listId: string, request: unknown = body(), owner = customer) =>
  owner.request('POST', `/v1/lists/${listId}/people`, request);

async function inDatabase<T>(work: (query: (sql: string, bindings?: unknown[]) => Promise<T[]>) => Promise<T[]>) {
  const database = openDatabase({ target: { connectionString: api.config.databaseUrl ?? '' } });
  try {
    return await work(async (sql, bindings = []) => {
      const result = await database.connection.raw<{ rows: T[] }>(sql, bindings as string[]);
      return result.rows;
    });
  } finally {
    await database.close();
  }
}

describe('201', () => {
  it('answers personId, modelId, deleteAfter and where the person is', async () => {
    const listId = await createList(customer, { name: 'Members', ongoing: true, retainDays: 30 });
    const personId = 'Müller/1 ?#%';
    const answer = await enrol(listId, body({ personId }));
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({
      personId,
      modelId: expect.stringMatching(/^mdl_[0-9a-z]{26}$/),
      deleteAfter: new Date(clock.now() + 30 * 86_400_000).toISOString(),
    });
    const location = answer.headers.get('location') ?? '';
    expect(location).toBe(`/v1/lists/${listId}/people/${encodeURIComponent(personId)}`);
    const read = await customer.request('GET', location);
    expect(read.status).toBe(200);
    expect(read.body).toEqual({
      ...answer.body,
      consentVersion: 'eu-v2',
      enrolledAt: new Date(clock.now()).toISOString(),
    });
  });

  it('keeps the face of an event’s list until the list’s deadline', async () => {
    const endsAt = new Date(clock.now() + 3_600_000).toISOString();
    const event = await customer.request<{ eventId: string }>('POST', '/v1/events', {
      name: 'Concert',
      startsAt: new Date(clock.now()).toISOString(),
      endsAt,
    });
    const listId = await createList(customer, { name: 'Concert', eventId: event.body.eventId });
    expect((await enrol(listId)).body.deleteAfter).toBe(endsAt);
  });

  it('replaces the face of a personId that is there: a new modelId, one person, a new version', async () => {
    const listId = await createList();
    const first = await enrol(listId);
    clock.advance(1_000);
    const second = await enrol(listId);
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(second.body.modelId).not.toBe(first.body.modelId);
    const people = await customer.request<{ items: Record<string, unknown>[] }>('GET', `/v1/lists/${listId}/people`);
    expect(people.body.items).toHaveLength(1);
    expect(people.body.items[0]?.modelId).toBe(second.body.modelId);
    const [state] = await inDatabase<Record<string, number>>((query) =>
      query(
        `SELECT (SELECT count(*) FROM faces WHERE list_id = l.list_id) AS faces,
                (SELECT count(*) FROM consents WHERE list_id = l.list_id) AS consents, list_version AS version
         FROM lists l WHERE list_id = ?`,
        [listId],
      ),
    );
    expect(state).toEqual({ faces: 1, consents: 2, version: 3 });
  });

  it('writes the consent into the ledger, in the same transaction', async () => {
    const listId = await createList();
    const givenAt = new Date(clock.now() - 60_000).toISOString();
    await enrol(listId, body({ consent: { givenAt, under16: true, guardianConsent: true } }));
    const [record] = await inDatabase<Record<string, unknown>>((query) =>
      query('SELECT * FROM consents WHERE list_id = ?', [listId]),
    );
    expect(record).toMatchObject({
      kind: 'given',
      consent_version: 'eu-v2',
      given_at: new Date(givenAt),
      explicit_biometric_consent: true,
      written_release: true,
      under16: true,
      guardian_consent: true,
      shown_by: 'organiser',
      wording_sha256: null,
    });
  });

  it('reads an absent under16 as false', async () => {
    const listId = await createList();
    const { under16: _, guardianConsent: __, ...consent } = body().consent;
    expect((await enrol(listId, { ...body(), consent })).status).toBe(201);
  });
});

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
    const listId = await createList();
    const before = inference.sealed;
    const answer = await enrol(listId, body({ consent }));
    expect(answer.status).toBe(400);
    expect(answer.headers.get('content-type')).toMatch('application/problem+json');
    expect(answer.body).toMatchObject({ code: 'invalid-request', errors: [{ pointer }] });
    expect(inference.sealed).toBe(before);
  });

  it('consent: given more than five minutes ahead', async () => {
    const listId = await createList();
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
    const listId = await createList();
    expect((await enrol(listId, body({ personId }))).status).toBe(status);
  });

  it('does not normalise a personId', async () => {
    const listId = await createList();
    await enrol(listId, body({ personId: 'caf\u00e9' }));
    await enrol(listId, body({ personId: 'cafe\u0301' }));
    const people = await customer.request<{ items: unknown[] }>('GET', `/v1/lists/${listId}/people`);
    expect(people.body.items).toHaveLength(2);
  });

  it.each([
    ['missing', undefined],
    ['empty', ''],
    ['base64url', 'ab-_'],
    ['without padding', 'abc'],
    ['with a line break', 'YWJj\nYWJj'],
    ['a data URL', 'data:image/jpeg;base64,YWJj'],
    ['padding in the middle', 'YQ==YWJj'],
    ['a number', 5],
  ])('imageBase64: %s', async (_name, imageBase64) => {
    const listId = await createList();
    const answer = await enrol(listId, { ...body(), imageBase64 });
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ code: 'invalid-request', errors: [{ pointer: '/imageBase64' }] });
  });

  it('an image that does not decode', async () => {
    const answer = await enrol(await createList(), body({ image: 'broken' }));
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ code: 'image-invalid' });
  });

  it.each(['', '{', 'null', '[]', '"text"', '\ufeff{}', '{"personId":"a"}'])('body: %j', async (text) => {
    const listId = await createList();
    expect((await enrol(listId, text || ' ')).status).toBe(400);
  });

  it('body: not UTF-8', async () => {
    const listId = await createList();
    const response = await fetch(`${api.url}/v1/lists/${listId}/people`, {
      method: 'POST',
      headers: { 'X-Api-Key': customer.apiKey, 'Content-Type': 'application/json' },
      body: Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]),
    });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ code: 'invalid-json' });
  });
});

describe('402', () => {
  it('an account without a plan, always', async () => {
    const poor = await api.customer({ country: 'DE', plan: null });
    const answer = await enrol(await createList(poor), body(), poor);
    expect(answer.status).toBe(402);
    expect(answer.body).toMatchObject({ code: 'no-plan' });
  });

  async function fill(count: number) {
    await inDatabase((query) =>
      query('UPDATE accounts SET people_billed = ? WHERE account_id = ? RETURNING 1 AS done', [
        count,
        customer.accountId,
      ]),
    );
  }

  it('the 501st person, but no replacement and nobody who is on the bill already', async () => {
    const listId = await createList();
    const other = await createList();
    expect((await enrol(listId, body({ personId: 'early' }))).status).toBe(201);
    await fill(PILOT_PLAN_PEOPLE - 1);
    expect((await enrol(listId, body({ personId: 'last' }))).status).toBe(201);
    const refused = await enrol(listId, body({ personId: 'late' }));
    expect([refused.status, refused.body.code]).toEqual([402, 'plan-limit-reached']);
    expect((await enrol(listId, body({ personId: 'early' }))).status).toBe(201);
    expect((await enrol(other, body({ personId: 'early' }))).status).toBe(201);
    expect((await customer.request('DELETE', `/v1/lists/${listId}/people/last`)).status).toBe(204);
    expect((await enrol(listId, body({ personId: 'late' }))).status).toBe(402);
    expect((await enrol(listId, body({ personId: 'last' }))).status).toBe(201);
  });

  it('exactly one of many at once gets the last place', async () => {
    const listId = await createList();
    await fill(PILOT_PLAN_PEOPLE - 1);
    const statuses = await Promise.all(
      Array.from({ length: 40 }, async (_, i) => (await enrol(listId, body({ personId: `p${i}` }))).status),
    );
    expect(statuses.filter((status) => status === 201)).toHaveLength(1);
    expect(statuses.filter((status) => status === 402)).toHaveLength(39);
  });

  it('counts one personId once, however often and at once it is enrolled', async () => {
    const listId = await createList();
    const answers = await Promise.all(Array.from({ length: 20 }, () => enrol(listId)));
    expect(answers.map((answer) => answer.status)).toEqual(Array.from({ length: 20 }, () => 201));
    const [bill] = await inDatabase<{ people_billed: number; people: number; faces: number }>((query) =>
      query(
        `SELECT people_billed, (SELECT count(*) FROM people WHERE list_id = ?) AS people,
          (SELECT count(*) FROM faces WHERE list_id = ?) AS faces FROM accounts WHERE account_id = ?`,
        [listId, listId, customer.accountId],
      ),
    );
    expect(bill).toEqual({ people_billed: 1, people: 1, faces: 1 });
  });
});

describe('404', () => {
  it('no such list, no identifier at all, or somebody else’s', async () => {
    const listId = await createList();
    const stranger = await api.customer();
    const before = inference.sealed;
    for (const [path, owner] of [
      [listId, stranger],
      [`lst_${'0'.repeat(26)}`, customer],
      ['nonsense', customer],
      ['%00', customer],
      ['%E0%A4%A', customer],
    ] as const) {
      const answer = await enrol(path, body(), owner);
      expect([answer.status, answer.body.code]).toEqual([404, 'not-found']);
    }
    expect(inference.sealed).toBe(before);
  });

  it('a deleted list', async () => {
    const listId = await createList();
    await customer.request('DELETE', `/v1/lists/${listId}`);
    expect((await enrol(listId)).status).toBe(404);
  });
});

describe('409', () => {
  const codeOf = async (listId: string, request = body()) => {
    const { status, body: problem } = await enrol(listId, request);
    return [status, problem.code];
  };

  it('a consent version other than the list’s', async () => {
    const listId = await createList();
    for (const consentVersion of ['us-v2', 'uk-v2', 'eu-v1', 'eu-v3', 'EU-V2', '']) {
      expect(await codeOf(listId, body({ consent: { consentVersion } }))).toEqual([409, 'consent-version-mismatch']);
    }
  });

  it('a closed list, an ended list, and both: ended comes first', async () => {
    const listId = await createList();
    await customer.request('POST', `/v1/lists/${listId}/close-enrollment`);
    expect(await codeOf(listId)).toEqual([409, 'enrolment-closed']);
    await customer.request('POST', `/v1/lists/${listId}/end`);
    expect(await codeOf(listId)).toEqual([409, 'list-ended']);
  });

  it('a list past its deadline', async () => {
    const event = await customer.request<{ eventId: string }>('POST', '/v1/events', {
      name: 'Match',
      startsAt: new Date(clock.now()).toISOString(),
      endsAt: new Date(clock.now() + 60_000).toISOString(),
    });
    const listId = await createList(customer, { name: 'Match', eventId: event.body.eventId });
    clock.advance(60_000);
    expect(await codeOf(listId)).toEqual([409, 'list-ended']);
  });

  it('a list that is closed while the photo is being worked on', async () => {
    const listId = await createList();
    let release = () => {};
    inference.hold = new Promise((resolve) => {
      release = resolve;
    });
    const before = inference.sealed;
    const pending = Promise.all(Array.from({ length: 10 }, (_, i) => enrol(listId, body({ personId: `p${i}` }))));
    while (inference.sealed < before + 10) await sleep(5);
    expect((await customer.request('POST', `/v1/lists/${listId}/close-enrollment`)).status).toBe(200);
    release();
    expect((await pending).map((answer) => answer.status)).toEqual(Array.from({ length: 10 }, () => 409));
    const people = await customer.request<{ items: unknown[] }>('GET', `/v1/lists/${listId}/people`);
    expect(people.body.items).toEqual([]);
    const [bill] = await inDatabase<{ people_billed: number }>((query) =>
      query('SELECT people_billed FROM accounts WHERE account_id = ?', [customer.accountId]),
    );
    expect(bill?.people_billed).toBe(0);
  });

  it('a list that is deleted while the photo is being worked on is not there: 404, and nothing is left', async () => {
    const listId = await createList();
    let release = () => {};
    inference.hold = new Promise((resolve) => {
      release = resolve;
    });
    const before = inference.sealed;
    const pending = enrol(listId);
    while (inference.sealed === before) await sleep(5);
    expect((await customer.request('DELETE', `/v1/lists/${listId}`)).status).toBe(204);
    release();
    expect((await pending).status).toBe(404);
    const rows = await inDatabase((query) => query('SELECT 1 FROM faces WHERE list_id = ?', [listId]));
    expect(rows).toEqual([]);
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
    const listId = await createList();
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
    const listId = await createList();
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
    const listId = await createList();
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
    const answer = await enrol(await createList(), body({ image: reason }));
    expect(answer.status).toBe(422);
    expect(answer.body).toMatchObject({ code: reason, measured: 1, limit: 2 });
  });

  it('leaves a person that is there as he was, and the bill too', async () => {
    const listId = await createList();
    const { modelId } = (await enrol(listId)).body;
    await enrol(listId, body({ image: 'no-face' }));
    await enrol(listId, body({ personId: 'other', image: 'no-face' }));
    expect((await customer.request('GET', `/v1/lists/${listId}/people/ticket-1`)).body.modelId).toBe(modelId);
    const [bill] = await inDatabase<{ people_billed: number }>((query) =>
      query('SELECT people_billed FROM accounts WHERE account_id = ?', [customer.accountId]),
    );
    expect(bill?.people_billed).toBe(1);
  });
});

describe('503', () => {
  it('before the body is read, when every place is taken; a place is given back after every outcome', async () => {
    const listId = await createList();
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
    await api.admin.setPlan(poor.accountId, 'pilot');
    expect(await send(listId, body({ image: 'broken' }))).toBe(400);
    expect(await send(listId, body({ image: 'no-face' }))).toBe(422);
    expect(await send(listId, body())).toBe(201);
  });

  it('what a random body brings is never a 5xx', async () => {
    const listId = await createList();
    for (let i = 0; i < 20; i += 1) {
      expect((await enrol(listId, randomBytes(200).toString('latin1'))).status).toBe(400);
    }
  });
});
