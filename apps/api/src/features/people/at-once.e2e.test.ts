import type { EnrolledPeople, ErasedPeople, FoundPeople, Problem } from '@svc/protocol';
import { MAX_ENROLMENT_BODY_BYTES, MAX_ENROLMENTS_AT_ONCE, MAX_PERSON_IDS_AT_ONCE } from '@svc/protocol';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { base64, createList, enrolBody, inDatabase } from '../../testing/enrolment-fixture.ts';
import { createPerson } from '../../testing/person.ts';
import { useApi } from '../../testing/use-api.ts';
import { outcome } from '../../testing/widget-fixture.ts';

const { api, clock, customer, inference } = useApi();
let people: string;
beforeEach(async () => {
  people = `/v1/lists/${await createList(customer)}/people`;
});

const { imageBase64: _, ...person } = enrolBody(clock, { personId: 'x' });
const of = (personId: string) => ({ ...person, personId, consent: consent() });
const consent = () => enrolBody(clock).consent;
const photoOf = (text: string) => new Blob([text], { type: 'image/jpeg' });

function form(json: object, photos: readonly (readonly [name: string, text: string])[], jsonPart = 'person'): FormData {
  const made = new FormData();
  for (const [name, text] of photos) made.append(name, photoOf(text), 'photo.jpg');
  made.append(jsonPart, JSON.stringify(json));
  return made;
}

async function sendForm<T = Record<string, unknown>>(method: string, path: string, body: FormData, key?: string) {
  const headers = { 'X-Api-Key': customer.apiKey, ...(key === undefined ? {} : { 'Idempotency-Key': key }) };
  const response = await fetch(api.url + path, { method, headers, body });
  return { status: response.status, headers: response.headers, body: (await response.json()) as T };
}

const count = async () => (await customer.request<{ people: number }>('GET', `${people}-summary`)).body.people;

describe('a person who is put', () => {
  const json = () => ({ consent: consent() });

  it('is enrolled with 201 and replaced with 200, as JSON and as a form', async () => {
    const path = `${people}/a%2Fb`;
    const made = await sendForm('PUT', path, form(json(), [['photo', 'a face']]));
    expect([made.status, made.headers.get('location')]).toEqual([201, path]);
    clock.advance(1_000);
    const again = await customer.request('PUT', path, { ...json(), imageBase64: base64('a face') });
    expect([again.status, again.headers.get('location'), again.body.personId]).toEqual([200, null, 'a/b']);
    expect(again.body.deleteAfter).not.toBe(made.body.deleteAfter);
    expect((await sendForm('POST', people, form(of('a/b'), [['photo', 'a face']]))).status).toBe(201);
    expect(await count()).toBe(1);
  });

  it.each(['batch', 'erase', 'lookup'])('may have the name %s', async (name) => {
    expect((await sendForm('PUT', `${people}/${name}`, form(json(), [['photo', 'a face']]))).status).toBe(201);
    expect((await customer.request('GET', `${people}/${name}`)).body.personId).toBe(name);
    expect((await customer.request('DELETE', `${people}/${name}`)).status).toBe(204);
  });

  it('is refused for what the POST refuses', async () => {
    const put = (...given: Parameters<typeof form>) => sendForm('PUT', `${people}/x`, form(...given));
    const further = (text: string) => [['photo', 'a face'] as const, ['additionalPhoto', text] as const];
    const photo = [['photo', 'a face'] as const];
    const long = `${people}/${'x'.repeat(201)}`;
    const answers = [
      [await put(json(), [['photo', 'no-face']]), 422, 'no-face'],
      [await put(json(), [['photo', 'broken']]), 400, 'image-invalid'],
      [await put(json(), further('another person')), 422, 'different-person'],
      [await put({ consent: { ...consent(), consentVersion: 'eu-v1' } }, photo), 409, 'consent-version-mismatch'],
      [await put({ consent: { ...consent(), writtenRelease: false } }, photo), 400, 'invalid-request'],
      [await put(of('x'), photo), 400, 'unknown-parameter'],
      [await put(json(), []), 400, 'invalid-request'],
      [await sendForm('PUT', long, form(json(), photo)), 400, 'invalid-request'],
      [await sendForm('PUT', '/v1/lists/lst_none/people/x', form(json(), photo)), 404, 'not-found'],
      [await put(json(), [['photo', 'x'.repeat(MAX_ENROLMENT_BODY_BYTES)]]), 413, 'request-too-large'],
    ] as const;
    for (const [answer, ...expected] of answers) expect(outcome(answer)).toEqual(expected);
    expect(await count()).toBe(0);
    expect((await put(json(), further('a face'))).status).toBe(201);
  });

  it('is put once by one key, whatever the boundary, and not after an erasure', async () => {
    const put = (text = 'a face') => sendForm('PUT', `${people}/x`, form(json(), [['photo', text]]), 'once');
    const first = await put();
    const again = await put();
    expect([again.status, again.body, again.headers.get('idempotent-replayed')]).toEqual([201, first.body, 'true']);
    expect(outcome(await put('another'))).toEqual([422, 'idempotency-key-reused']);
    await customer.request('DELETE', `${people}/x`);
    expect(outcome(await put())).toEqual([409, 'answer-erased']);
    expect(await count()).toBe(0);
  });
});

describe('a batch', () => {
  type Given = readonly [personId: string, text: string];
  const one = (personId: string, text = 'a face', more = {}) => ({
    ...{ ...of(personId), imageBase64: base64(text) },
    ...more,
  });
  const batch = (...given: Given[]) => ({ people: given.map((each) => one(...each)) });
  const send = (body: unknown, headers = {}) =>
    customer.request<EnrolledPeople>('POST', `${people}/batch`, body, { headers });
  const sendBatchForm = (key: string, said: typeof of, ...given: Given[]) => {
    const photos = given.map(([, text], i) => [`photo.${i}`, text] as const);
    const json = { people: given.map(([personId]) => said(personId)) };
    return sendForm<EnrolledPeople>('POST', `${people}/batch`, form(json, photos, 'people'), key);
  };
  const told = ({ body }: { readonly body: EnrolledPeople }) =>
    body.results.map(({ personId, status, problem }) => {
      const pointers = problem?.errors?.map(({ pointer }) => pointer) ?? [];
      return [personId, status, problem?.code, ...pointers].filter(Boolean).join(' ');
    });

  it('tells of each in order, and refuses none for another', async () => {
    await send(batch(['old', 'a face']));
    const cases = [
      [one('old'), 'old 200'],
      [one('new'), 'new 201'],
      [one('faceless', 'no-face'), 'faceless 422 no-face'],
      [one('broken', 'broken'), 'broken 400 image-invalid'],
      [one('new'), 'new 400 invalid-request /personId'],
      [one('print', '', { imageBase64: 'A' }), 'print 400 invalid-request /imageBase64'],
      [one('x', 'x', { consent: { ...consent(), under16: true } }), 'x 400 invalid-request /consent/guardianConsent'],
      [one('y', 'y', { consent: { ...consent(), consentVersion: 'eu-v1' } }), 'y 409 consent-version-mismatch'],
      [one('more', 'a face', { unknown: 1 }), 'more 400 unknown-parameter /unknown'],
      ['nobody', '400 invalid-request'],
    ] as const;
    const answer = await send({ people: cases.map(([given]) => given) });
    expect(told(answer)).toEqual(cases.map(([, expected]) => expected));
    const [, made, refused] = answer.body.results;
    expect(refused?.problem).toMatchObject({ measured: 1, limit: 2, requestId: expect.any(String) });
    expect((await customer.request('GET', `${people}/new`)).body).toMatchObject(made?.person ?? {});
    expect(await count()).toBe(2);
  });

  it('is refused as a whole for what is about all, and then enrols nobody', async () => {
    const many = batch(
      ...Array.from({ length: MAX_ENROLMENTS_AT_ONCE + 1 }, (_one, i) => [`p${i}`, 'a face'] as const),
    );
    expect(outcome((await send(many)) as never)).toEqual([400, 'invalid-request']);
    expect(outcome((await send({ people: [] })) as never)).toEqual([400, 'invalid-request']);
    expect(outcome((await send({ people: many.people.slice(0, 1), more: 1 })) as never)).toEqual([
      400,
      'unknown-parameter',
    ]);
    const misplaced = form(
      { people: [of('a')] },
      [
        ['photo.0', 'a face'],
        ['photo.1', 'a face'],
      ],
      'people',
    );
    expect(outcome(await sendForm('POST', `${people}/batch`, misplaced))).toEqual([400, 'invalid-request']);
    await customer.request('POST', people.replace('people', 'close-enrollment'));
    expect(outcome((await send(batch(['a', 'a face']))) as never)).toEqual([409, 'enrolment-closed']);
    expect(await count()).toBe(0);
  });

  it('by one key is carried out once for each, and again for whom it was refused', async () => {
    const once = consent();
    const said = (personId: string) => ({ ...of(personId), consent: once });
    const first = await sendBatchForm('key', said, ['a', 'a face'], ['b', 'no-face'], ['c', 'a face']);
    expect(told(first)).toEqual(['a 201', 'b 422 no-face', 'c 201']);
    clock.advance(1_000);
    const again = await sendBatchForm('key', said, ['b', 'a face'], ['c', 'a face'], ['a', 'another']);
    expect(told(again)).toEqual(['b 201', 'c 201', 'a 422 idempotency-key-reused']);
    expect(again.body.results[1]).toEqual(first.body.results[2]);
    await customer.request('DELETE', `${people}/c`);
    expect(told(await sendBatchForm('key', said, ['c', 'a face']))).toEqual(['c 409 answer-erased']);
    const consents = 'SELECT count(*)::int AS n FROM consents WHERE list_id = $1';
    expect(await inDatabase(api, consents, [people.split('/')[3]])).toEqual([{ n: 3 }]);
  });

  it('takes few places at a time, so that others find one', async () => {
    let open = () => undefined as unknown;
    inference.hold = new Promise<void>((resolve) => {
      open = resolve;
    });
    const sending = send(batch(...Array.from({ length: 20 }, (_one, i) => [`p${i}`, 'a face'] as const)));
    await vi.waitUntil(() => inference.admitted === api.config.inferenceWorkers, 30_000);
    const another = customer.request('POST', people, enrolBody(clock, { personId: 'another' }));
    await vi.waitUntil(() => inference.admitted === api.config.inferenceWorkers + 1, 30_000);
    open();
    expect((await another).status).toBe(201);
    expect(new Set((await sending).body.results.map(({ status }) => status))).toEqual(new Set([201]));
    inference.places = 0;
    expect(outcome((await send(batch(['late', 'a face']))) as never)).toEqual([503, 'overloaded']);
  });

  it('begins nobody after 50 s; those left are enrolled by the same key', async () => {
    const begun = api.config.inferenceWorkers;
    const late = clock.now() + 50_000;
    inference.hold = vi.waitUntil(() => clock.now() >= late, 30_000).then(() => undefined);
    const all = batch(...Array.from({ length: begun + 2 }, (_one, i) => [`p${i}`, 'a face'] as const));
    const sending = send(all, { 'Idempotency-Key': 'slow' });
    await vi.waitUntil(() => inference.admitted === begun, 30_000);
    clock.advance(50_000);
    expect(told(await sending)).toEqual(all.people.map((_one, i) => `p${i} ${i < begun ? 201 : '503 overloaded'}`));
    expect(told(await send(all, { 'Idempotency-Key': 'slow' })).join()).not.toContain('503');
  });

  it('refuses by the plan’s limit only those beyond it', async () => {
    await inDatabase(api, 'UPDATE accounts SET people_billed = 499 WHERE account_id = $1', [customer.accountId]);
    const answer = await send(batch(['a', 'a face'], ['b', 'a face'], ['c', 'a face']));
    expect(answer.body.results.map(({ status }) => status).sort()).toEqual([201, 402, 402]);
  });

  it('replaces no face with a sign-in of long ago', async () => {
    await send(batch(['a', 'a face']));
    const user = await createPerson(api, customer.accountId);
    clock.advance(11 * 60_000);
    const answer = await user.request<EnrolledPeople>(
      'POST',
      `${people}/batch`,
      batch(['a', 'a face'], ['b', 'a face']),
    );
    expect(told(answer as never)).toEqual(['a 403 reauthentication-required', 'b 201']);
    const put = await user.request('PUT', `${people}/a`, { consent: consent(), imageBase64: base64('a face') });
    expect(outcome(put as never)).toEqual([403, 'reauthentication-required']);
  });
});

describe('many people', () => {
  const erase = (body: object, headers = {}) =>
    customer.request<ErasedPeople>('POST', `${people}/erase`, body, { headers });
  const lookUp = (personIds: readonly string[]) =>
    customer.request<FoundPeople>('POST', `${people}/lookup`, { personIds });
  const enrol = (personId: string) => customer.request('POST', people, enrolBody(clock, { personId }));
  const statuses = ({ body }: { readonly body: { readonly results: readonly { readonly status: number }[] } }) =>
    body.results.map(({ status }) => status);

  it('are looked up by IDs of any form', async () => {
    for (const personId of ['..', 'a/b', 'é']) await enrol(personId);
    const answer = await lookUp(['é', 'nobody', '..', 'a/b', 'é']);
    expect(statuses(answer)).toEqual([200, 404, 200, 200, 200]);
    const [found, nobody] = answer.body.results;
    expect(found?.person).toEqual((await customer.request('GET', `${people}/%C3%A9`)).body);
    expect(nobody).toEqual({ personId: 'nobody', status: 404 });
    const tooMany = Array.from({ length: MAX_PERSON_IDS_AT_ONCE + 1 }, (_one, i) => `p${i}`);
    expect((await lookUp(tooMany)).status).toBe(400);
    expect(statuses(await lookUp(tooMany.slice(1)))).toHaveLength(MAX_PERSON_IDS_AT_ONCE);
    expect((await lookUp(Array<string>(1_000).fill('\u0001'.repeat(200)))).status).toBe(200);
  });

  it('are erased as each would be, once by one key', async () => {
    const listId = people.split('/')[3] ?? '';
    for (const personId of ['a', 'b', '..', 'stays']) await enrol(personId);
    const body = { personIds: ['b', 'nobody', '..', 'a', 'a'], reason: 'consent-withdrawn' };
    const headers = { 'Idempotency-Key': 'once' };
    const first = await erase(body, headers);
    expect(first.body.results.map(({ personId }) => personId)).toEqual(body.personIds);
    expect(statuses(first)).toEqual([204, 404, 204, 204, 204]);
    expect((await erase(body, headers)).body).toEqual(first.body);
    expect(statuses(await erase(body))).toEqual([404, 404, 404, 404, 404]);
    expect(statuses(await lookUp(['a', 'b', '..', 'stays']))).toEqual([404, 404, 404, 200]);
    const left = `SELECT (SELECT count(*)::int FROM faces WHERE list_id = $1) AS faces,
      (SELECT count(DISTINCT version)::int FROM face_removals WHERE list_id = $1) AS removals,
      (SELECT list_version::int FROM lists WHERE list_id = $1) AS version,
      (SELECT people FROM lists WHERE list_id = $1) AS people,
      (SELECT count(*)::int FROM consents WHERE list_id = $1 AND kind = 'withdrawn') AS withdrawn,
      (SELECT count(*)::int FROM audit_log WHERE account_id = $2 AND action = 'person.erase') AS acts`;
    expect(await inDatabase(api, left, [listId, customer.accountId])).toEqual([
      { faces: 1, removals: 3, version: 8, people: 1, withdrawn: 3, acts: 3 },
    ]);
    const user = await createPerson(api, customer.accountId);
    clock.advance(11 * 60_000);
    const late = await user.request<Problem>('POST', `${people}/erase`, { personIds: ['stays'] });
    expect(outcome(late as never)).toEqual([403, 'reauthentication-required']);
  });
});
