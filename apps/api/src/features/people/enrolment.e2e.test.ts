import { request as httpRequest } from 'node:http';
import { DAY_MS, FRESH_MS, HOUR_MS, MAX_ENROLMENT_BODY_BYTES, PILOT_PLAN_PEOPLE } from '@svc/protocol';
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  type BodyOptions,
  base64,
  createList,
  enrolBody,
  enrolPerson,
  inDatabase,
} from '../../testing/enrolment-fixture.ts';
import { loseKeys } from '../../testing/key-stores.ts';
import { createPerson } from '../../testing/person.ts';
import { useApi } from '../../testing/use-api.ts';
import { createStage, onStage, outcome, type WidgetStage } from '../../testing/widget-fixture.ts';

const { api, clock, customer, inference } = useApi();

/** A PNG whose header says 7000 × 7000. */
const PNG_7000 = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAG1gAABtYCAAAAAC88ORTAAAAC0lEQVR4nGNggAIAAAkAAftSuKkAAAAASUVORK5CYII=',
  'base64',
);
const body = (o: BodyOptions = {}) => enrolBody(clock, o);
const enrol = (listId: string, request: unknown = body(), owner = customer) => enrolPerson(listId, request, owner);

const billed = () => inDatabase(api, 'SELECT people_billed FROM accounts WHERE account_id = $1', [customer.accountId]);

describe('201', () => {
  it('answers personId, modelId, deleteAfter and where the person is', async () => {
    const listId = await createList(customer, { name: 'Members', ongoing: true, retainDays: 30 });
    const personId = 'Müller/1 ?#%';
    const answer = await enrol(listId, body({ personId }));
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({
      personId,
      modelId: 'mdl_0000000000fbwtxnwtak33sxps',
      deleteAfter: new Date(clock.now() + 30 * DAY_MS).toISOString(),
    });
    const location = answer.headers.get('location') ?? '';
    expect(location).toBe(`/v1/lists/${listId}/people/${encodeURIComponent(personId)}`);
    const read = await customer.request('GET', location);
    expect(read.status).toBe(200);
    expect(read.body).toEqual({
      ...answer.body,
      consentVersion: 'eu-v2',
      enrolledAt: new Date(clock.now()).toISOString(),
      state: 'enrolled',
      metadata: {},
    });
  });

  it('keeps the face of an event’s list until the list’s deadline', async () => {
    const { listId } = await createStage(customer, clock, 1);
    expect((await enrol(listId)).body.deleteAfter).toBe(new Date(clock.now() + HOUR_MS).toISOString());
  });

  it('replaces the face of a personId that is there: a new deadline, one person, a new version', async () => {
    const listId = await createList(customer);
    const first = await enrol(listId);
    clock.advance(1_000);
    const second = await enrol(listId);
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(second.body.modelId).toBe(first.body.modelId);
    expect(second.body.deleteAfter).not.toBe(first.body.deleteAfter);
    const people = await customer.request<{ items: Record<string, unknown>[] }>('GET', `/v1/lists/${listId}/people`);
    expect(people.body.items).toHaveLength(1);
    expect(people.body.items[0]).toMatchObject(second.body);
    const state = `SELECT (SELECT count(*)::int FROM faces WHERE list_id = l.list_id) AS faces,
      (SELECT count(*)::int FROM consents WHERE list_id = l.list_id) AS consents, list_version::int AS version
      FROM lists l WHERE list_id = $1`;
    expect(await inDatabase(api, state, [listId])).toEqual([{ faces: 1, consents: 2, version: 3 }]);
  });

  it('replaces no face with a sign-in of long ago, nor makes a link that would', async () => {
    const { listId, eventId } = await createStage(customer, clock);
    const person = await createPerson(api, customer.accountId);
    const people = `/v1/lists/${listId}/people`;
    const links = `/v1/events/${eventId}/enrolment-tokens`;
    const replacements = [
      [people, body()],
      [links, { ticketId: 'ticket-1' }],
      [`${links}/batch`, { ticketIds: ['new', 'ticket-1'], validForHours: 1 }],
    ] as const;
    await enrol(listId);
    clock.advance(FRESH_MS + 1);
    const sealed = inference.sealed;
    for (const [path, request] of replacements) {
      const refused = await person.request('POST', path, request);
      expect(outcome(refused)).toEqual([403, 'reauthentication-required']);
    }
    expect(inference.sealed).toBe(sealed);
    // New people, so that an import goes on; and the organiser's server.
    expect((await person.request('POST', people, body({ personId: 'new' }))).status).toBe(201);
    expect((await person.request('POST', links, { ticketId: 'newer' })).status).toBe(201);
    for (const [path, request] of replacements)
      expect((await customer.request('POST', path, request)).status).toBe(201);
    // Enrolled while the photo was examined: refused as well, and nothing is stored.
    const answers = await Promise.all([1, 2].map(() => person.request('POST', people, body({ personId: 'twice' }))));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 403]);
  });

  it('does not normalise a personId', async () => {
    const listId = await createList(customer);
    await enrol(listId, body({ personId: 'caf\u00e9' }));
    await enrol(listId, body({ personId: 'cafe\u0301' }));
    const people = await customer.request<{ items: unknown[] }>('GET', `/v1/lists/${listId}/people`);
    expect(people.body.items).toHaveLength(2);
  });
});

describe('402', () => {
  async function fill(count: number) {
    await inDatabase(api, 'UPDATE accounts SET people_billed = $1 WHERE account_id = $2', [count, customer.accountId]);
  }

  it('the 501st person, but no replacement and no one already on the bill', async () => {
    const listId = await createList(customer);
    const other = await createList(customer);
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

  it('counts one personId once, however often and at once it is enrolled', async () => {
    const listId = await createList(customer);
    const answers = await Promise.all(Array.from({ length: 20 }, () => enrol(listId)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
    const counts = `SELECT (SELECT count(*)::int FROM people WHERE list_id = $1) AS people,
      (SELECT count(*)::int FROM faces WHERE list_id = $1) AS faces`;
    expect(await inDatabase(api, counts, [listId])).toEqual([{ people: 1, faces: 1 }]);
    expect(await billed()).toEqual([{ people_billed: 1 }]);
  });
});

describe('a request that is refused', () => {
  it('413 above 15 · 2²⁰ bytes, and not at exactly so many', async () => {
    const listId = await createList(customer);
    const { imageBase64: _, ...rest } = body();
    const photo = 'A'.repeat(MAX_ENROLMENT_BODY_BYTES - 1024);
    const exact = JSON.stringify({ ...rest, imageBase64: photo }).padEnd(MAX_ENROLMENT_BODY_BYTES, ' ');
    expect(Buffer.byteLength(exact)).toBe(MAX_ENROLMENT_BODY_BYTES);
    expect((await enrol(listId, exact)).status).toBe(201);
    const answer = await enrol(listId, `${exact} `);
    expect([answer.status, answer.body.code]).toEqual([413, 'request-too-large']);
  });

  it.each([
    ['text/plain', {}, 415],
    ['application/json; charset=latin1', {}, 415],
    ['application/json; charset=UTF-8', {}, 201],
    ['APPLICATION/JSON', {}, 201],
    ['application/json', { 'Content-Encoding': 'gzip' }, 415],
    ['application/jsonp', {}, 415],
  ])('%s %j: %i', async (type, headers, status) => {
    const path = `/v1/lists/${await createList(customer)}/people`;
    const answer = await customer.request('POST', path, body(), { headers: { 'Content-Type': type, ...headers } });
    expect(answer.status).toBe(status);
  });

  it('422 with what was measured', async () => {
    const answer = await enrol(await createList(customer), body({ image: 'covered' }));
    expect(answer).toMatchObject({ status: 422, body: { code: 'covered', measured: 1, limit: 2 } });
  });

  it('422 leaves a person that is there as he was, and the bill too', async () => {
    const listId = await createList(customer);
    const { deleteAfter } = (await enrol(listId)).body;
    clock.advance(1);
    await enrol(listId, body({ image: 'no-face' }));
    await enrol(listId, body({ personId: 'other', image: 'no-face' }));
    expect((await customer.request('GET', `/v1/lists/${listId}/people/ticket-1`)).body.deleteAfter).toBe(deleteAfter);
    expect(await billed()).toEqual([{ people_billed: 1 }]);
  });

  it.each([
    ['AVIF', Buffer.from('\0\0\0\x20ftypavif\0\0\0\0'), { reason: 'format', measured: 'image/avif' }],
    ['WebP', Buffer.from('RIFF\0\0\0\0WEBPVP8 '), { reason: 'format', measured: 'image/webp' }],
    ['HEIC', Buffer.from('\0\0\0\x18ftypheic\0\0\0\0'), { reason: 'format', measured: 'image/heic' }],
    ['a text', Buffer.from('broken'), { reason: 'format' }],
    ['a JPEG that was cut off', Buffer.from([0xff, 0xd8, 0xff, ...Buffer.alloc(9)]), { reason: 'damaged' }],
    ['7000 × 7000', PNG_7000, { reason: 'dimensions', measured: 49_000_000, limit: 25_000_000 }],
  ])('400 that says why an image cannot be read: %s', async (_name, image, why) => {
    const answer = await enrol(await createList(customer), { ...body(), imageBase64: image.toString('base64') });
    expect(answer).toMatchObject({ status: 400, body: { code: 'image-invalid' } });
    const { reason, measured, limit } = answer.body as Record<string, unknown>;
    expect(JSON.parse(JSON.stringify({ reason, measured, limit }))).toEqual(why);
  });

  it('gives its place back, whatever the outcome', async () => {
    const listId = await createList(customer);
    for (const image of ['a face', 'no-face', 'broken']) await enrol(listId, body({ image }));
    await enrol(listId, '{');
    await enrol('nonsense');
    expect(inference.admitted).toBe(0);
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
    const path = `/v1/lists/${listId}/people${query}`;
    const { body } = await customer.request<{ items: { personId: string }[] }>('GET', path);
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

  it('four: one record, which takes one place of the plan', async () => {
    const answer = await enrol(bodyWith(photos('a face', 'a face', 'a face', 'a face')));
    expect([answer.status, Object.keys(answer.body)]).toEqual([201, ['personId', 'modelId', 'deleteAfter']]);
    const faces = await inDatabase(api, 'SELECT octet_length(record) AS bytes FROM faces WHERE list_id = $1', [listId]);
    expect(faces).toEqual([{ bytes: 320 }]);
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
    const swappedErrors = [{ pointer: '/additionalImagesBase64/0' }];
    expect(swapped.body).toMatchObject({ code: 'different-person', errors: swappedErrors });
  });
});

describe('photo wiped', () => {
  const photo = 'a face';
  // The decoded buffers, which show whether photos are wiped.
  const decoded: Uint8Array[] = [];
  const textOf = (bytes: Uint8Array) => Buffer.from(bytes).toString('latin1');
  const { subarray } = Uint8Array.prototype;
  const cut = vi.spyOn(Uint8Array.prototype, 'subarray').mockImplementation(function (this: Uint8Array, ...range) {
    const part = subarray.apply(this, range) as Uint8Array<ArrayBuffer>;
    if (part.length === photo.length && textOf(part) === photo) decoded.push(part);
    return part;
  });

  afterAll(() => cut.mockRestore());
  beforeEach(() => {
    decoded.length = 0;
  });

  /** The current content of all photo buffers so far. */
  const left = () => decoded.map(textOf);
  const wiped = '\0'.repeat(photo.length);

  describe('no byte of a photo is left that no worker took', () => {
    let listId: string;
    beforeEach(async () => {
      listId = await createList(customer);
    });
    const close = () => customer.request('POST', `/v1/lists/${listId}/close-enrollment`);
    const end = () => customer.request('POST', `/v1/lists/${listId}/end`);

    it.each([
      ['enrolment-closed', () => close(), {}, 409],
      ['list-ended', () => close().then(end), {}, 409],
      ...['us-v2', 'eu-v1', 'EU-V2', ''].map(
        (consentVersion) => ['consent-version-mismatch', () => Promise.resolve(), { consentVersion }, 409] as const,
      ),
      ['invalid-request', () => Promise.resolve(), { givenAt: '2999-01-01T00:00:00Z' }, 400],
      ['not-found', () => loseKeys(api.config, customer.accountId), {}, 404],
    ] as const)('%s: %o', async (code, prepare, consent, status) => {
      await prepare();
      const before = inference.sealed;
      expect(outcome(await enrol(listId, body({ consent })))).toEqual([status, code]);
      expect(inference.sealed).toBe(before);
      expect(left()).toEqual([wiped]);
    });

    it('402 no-plan', async () => {
      const unplanned = await api.customer({ country: 'DE', plan: null });
      expect(outcome(await enrol(await createList(unplanned), body(), unplanned))).toEqual([402, 'no-plan']);
      expect(left()).toEqual([wiped]);
    });

    it('a repeat', async () => {
      const request = enrolBody(clock);
      const once = () =>
        customer.request('POST', `/v1/lists/${listId}/people`, request, { headers: { 'Idempotency-Key': 'once' } });
      expect([(await once()).status, (await once()).headers.get('idempotent-replayed')]).toEqual([201, 'true']);
      expect(left()).toEqual([wiped, wiped]);
    });
  });

  describe('nor of a guest’s', () => {
    let stage: WidgetStage;
    beforeEach(async () => {
      stage = await createStage(customer, clock);
    });
    const { open } = onStage(() => ({ api, customer, stage }));

    it('whose list is closed, or who was shown another wording', async () => {
      const { page } = await open();
      await page.open();
      const other = await page.enrol({ body: { wordingSha256: '0'.repeat(64) } });
      expect(outcome(other)).toEqual([409, 'consent-version-mismatch']);
      await customer.request('POST', `/v1/lists/${stage.listId}/close-enrollment`);
      expect(outcome(await page.enrol())).toEqual([409, 'enrolment-closed']);
      expect(left()).toEqual([wiped, wiped]);
    });

    it('whose token was spent while the photo arrived', async () => {
      const { page } = await open();
      await page.open();
      const answers = await Promise.all(Array.from({ length: 10 }, () => page.enrol()));
      expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
      expect(new Set(left())).toEqual(new Set([wiped]));
    });
  });
});
