import { setTimeout as sleep } from 'node:timers/promises';
import { DAY_MS, HOUR_MS, PILOT_PLAN_PEOPLE } from '@svc/protocol';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it, vi } from 'vitest';
import { type BodyOptions, createList, enrolBody, enrolPerson, inDatabase } from '../../testing/enrolment-fixture.ts';
import {
  createFakeInference,
  createManualClock,
  type FakeInference,
  type ManualClock,
  startTestApi,
  type TestApi,
  type TestCustomer,
} from '../../testing/index.ts';
import { loseKeys } from '../../testing/key-stores.ts';
import { createStage, onStage, outcome, type WidgetStage } from '../../testing/widget-fixture.ts';

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

describe('201', () => {
  it('answers personId, modelId, deleteAfter and where the person is', async () => {
    const listId = await createList(customer, { name: 'Members', ongoing: true, retainDays: 30 });
    const personId = 'Müller/1 ?#%';
    const answer = await enrol(listId, body({ personId }));
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({
      personId,
      modelId: 'mdl_01kdvdna00f3ab0bctdvgzftew',
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
    });
  });

  it('keeps the face of an event’s list until the list’s deadline', async () => {
    const endsAt = new Date(clock.now() + HOUR_MS).toISOString();
    const event = await customer.request<{ eventId: string }>('POST', '/v1/events', {
      name: 'Concert',
      startsAt: new Date(clock.now()).toISOString(),
      endsAt,
    });
    const listId = await createList(customer, { name: 'Concert', eventId: event.body.eventId });
    expect((await enrol(listId)).body.deleteAfter).toBe(endsAt);
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
    const [state] = await inDatabase<Record<string, number>>(
      api,
      `SELECT (SELECT count(*)::int FROM faces WHERE list_id = l.list_id) AS faces,
                (SELECT count(*)::int FROM consents WHERE list_id = l.list_id) AS consents, list_version::int AS version
         FROM lists l WHERE list_id = $1`,
      [listId],
    );
    expect(state).toEqual({ faces: 1, consents: 2, version: 3 });
  });

  it('writes the consent into the ledger, in the same transaction', async () => {
    const listId = await createList(customer);
    const givenAt = new Date(clock.now() - 60_000).toISOString();
    await enrol(listId, body({ consent: { givenAt, under16: true, guardianConsent: true } }));
    const [record] = await inDatabase<Record<string, unknown>>(api, 'SELECT * FROM consents WHERE list_id = $1', [
      listId,
    ]);
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
    const listId = await createList(customer);
    const { under16: _, guardianConsent: __, ...consent } = body().consent;
    expect((await enrol(listId, { ...body(), consent })).status).toBe(201);
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
    expect(answers.map((answer) => answer.status)).toEqual(Array.from({ length: 20 }, () => 201));
    const [bill] = await inDatabase<{ people_billed: number; people: number; faces: number }>(
      api,
      `SELECT people_billed, (SELECT count(*)::int FROM people WHERE list_id = $1) AS people,
          (SELECT count(*)::int FROM faces WHERE list_id = $2) AS faces FROM accounts WHERE account_id = $3`,
      [listId, listId, customer.accountId],
    );
    expect(bill).toEqual({ people_billed: 1, people: 1, faces: 1 });
  });
});

describe('404', () => {
  it('a deleted list', async () => {
    const listId = await createList(customer);
    await customer.request('DELETE', `/v1/lists/${listId}`);
    expect((await enrol(listId)).status).toBe(404);
  });
});

describe('409', () => {
  const codeOf = async (listId: string, request = body()) => {
    const { status, body: problem } = await enrol(listId, request);
    return [status, problem.code];
  };

  it('a consent version other than the list’s, before the photo is looked at', async () => {
    const listId = await createList(customer);
    const before = inference.sealed;
    for (const consentVersion of ['us-v2', 'uk-v2', 'eu-v1', 'eu-v3', 'EU-V2', '']) {
      expect(await codeOf(listId, body({ consent: { consentVersion } }))).toEqual([409, 'consent-version-mismatch']);
    }
    expect(inference.sealed).toBe(before);
  });

  it('a closed list, an ended list, and both: ended comes first', async () => {
    const listId = await createList(customer);
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
    const listId = await createList(customer);
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
    const [bill] = await inDatabase<{ people_billed: number }>(
      api,
      'SELECT people_billed FROM accounts WHERE account_id = $1',
      [customer.accountId],
    );
    expect(bill?.people_billed).toBe(0);
  });

  it('a list that is deleted while the photo is being worked on is not there: 404, and nothing is left', async () => {
    const listId = await createList(customer);
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
    const rows = await inDatabase(api, 'SELECT 1 FROM faces WHERE list_id = $1', [listId]);
    expect(rows).toEqual([]);
  });
});

describe('photo wiped', () => {
  let api: TestApi;
  let customer: TestCustomer;
  let inference: FakeInference;
  let clock: ManualClock;
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

  beforeAll(async () => {
    inference = createFakeInference();
    clock = createManualClock();
    api = await startTestApi(inject('postgres'), { createInference: () => inference, clock });
  });
  afterAll(() => {
    cut.mockRestore();
    return api.close();
  });
  beforeEach(async () => {
    decoded.length = 0;
    customer = await api.customer({ country: 'DE' });
  });

  /** The current content of all photo buffers so far. */
  const left = () => decoded.map(textOf);
  const wiped = '\0'.repeat(photo.length);
  const loseAccountKey = () => loseKeys(api.config, customer.accountId);

  describe('no byte of a photo is left that no worker took', () => {
    let listId: string;
    beforeEach(async () => {
      listId = await createList(customer);
    });

    it.each([
      ['409 enrolment-closed', () => customer.request('POST', `/v1/lists/${listId}/close-enrollment`), {}, 409],
      ['409 list-ended', () => customer.request('POST', `/v1/lists/${listId}/end`), {}, 409],
      ['409 consent-version-mismatch', () => Promise.resolve(), { consentVersion: 'us-v2' }, 409],
      ['400, a consent of tomorrow', () => Promise.resolve(), { givenAt: '2999-01-01T00:00:00Z' }, 400],
      ['404, keys that are gone', loseAccountKey, {}, 404],
    ])('%s', async (_name, prepare, consent, status) => {
      await prepare();
      const before = inference.sealed;
      expect((await enrolPerson(listId, enrolBody(clock, { consent }), customer)).status).toBe(status);
      expect(inference.sealed).toBe(before);
      expect(left()).toEqual([wiped]);
    });

    it('402 no-plan', async () => {
      customer = await api.customer({ country: 'DE', plan: null });
      const answer = await enrolPerson(await createList(customer), enrolBody(clock), customer);
      expect(answer.status).toBe(402);
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
      expect(outcome(await page.enrol({ body: { wordingSha256: '0'.repeat(64) } }))).toEqual([
        409,
        'consent-version-mismatch',
      ]);
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
