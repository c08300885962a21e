import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { base64, createList, enrolBody, enrolPerson, inDatabase } from '../../testing/enrolment-fixture.ts';
import {
  createFakeInference,
  createManualClock,
  type FakeInference,
  startTestApi,
  type TestApi,
  type TestCustomer,
} from '../../testing/index.ts';

const clock = createManualClock();
let api: TestApi;
let inference: FakeInference;
let customer: TestCustomer;
let listId: string;

beforeAll(async () => {
  inference = createFakeInference();
  api = await startTestApi(inject('postgres'), { createInference: () => inference, clock });
});
afterAll(() => api.close());
beforeEach(async () => {
  clock.advance(1);
  customer = await api.customer({ country: 'DE' });
  listId = await createList(customer);
});

const bodyWith = (additionalImagesBase64: unknown, over: Parameters<typeof enrolBody>[1] = {}) => ({
  ...enrolBody(clock, over),
  additionalImagesBase64,
});
const photos = (...texts: string[]) => texts.map(base64);
const enrol = (request: object) => enrolPerson(listId, request, customer);

describe('further photos of a person', () => {
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
    // It is the first photo that says who it is.
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
