import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { createList, enrolBody, enrolPerson } from '../../testing/enrolment-fixture.ts';
import {
  createFakeInference,
  createManualClock,
  type FakeInference,
  type ManualClock,
  requestJson,
  startTestApi,
  type TestApi,
  type TestCustomer,
} from '../../testing/index.ts';
import { testEngines } from '../../testing/test-api.ts';
import { createEvent, createGuestPage, createToken, widgetSettings } from '../../testing/widget-fixture.ts';

let api: TestApi;
/** A node of the same deployment without a passive check. */
let without: TestApi;
let customer: TestCustomer;
let inference: FakeInference;
let clock: ManualClock;

beforeAll(async () => {
  inference = createFakeInference();
  clock = createManualClock();
  const parts = { createInference: () => inference, clock };
  api = await startTestApi(inject('postgres'), { ...parts, engines: testEngines() });
  const { databaseUrl, dataDirectory } = api.config;
  const same = { DATABASE_URL: databaseUrl ?? '', SVC_DATA_DIR: dataDirectory };
  without = await startTestApi(inject('postgres'), { ...parts, engines: testEngines({ checksPhotos: false }) }, same);
});
afterAll(async () => {
  await without.close();
  await api.close();
});
beforeEach(async () => {
  customer = await api.customer({ country: 'DE' });
});

/** The same account on the other node. */
const elsewhere = (): TestCustomer => ({
  ...customer,
  request: (method, path, body) =>
    requestJson(`${without.url}${path}`, {
      method,
      headers: { 'X-Api-Key': customer.apiKey, 'Content-Type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }),
});

const members = { name: 'Members', ongoing: true };

describe('a list that takes photos of the camera alone', () => {
  it('says so, and others do not', async () => {
    const listId = await createList(customer, { ...members, photoSource: 'camera' });
    const read = async (id: string) => (await customer.request('GET', `/v1/lists/${id}`)).body;
    expect(await read(listId)).toMatchObject({ photoSource: 'camera', photoCheck: 'none' });
    expect(await read(await createList(customer))).toMatchObject({ photoSource: 'any', photoCheck: 'none' });
    for (const wrong of ['file', '', null, true]) {
      const answer = await customer.request('POST', '/v1/lists', { ...members, photoSource: wrong });
      expect(answer).toMatchObject({ status: 400, body: { errors: [{ pointer: '/photoSource' }] } });
    }
  });

  it('wants the sender to say that the photo is of one, before it is looked at', async () => {
    const listId = await createList(customer, { ...members, photoSource: 'camera' });
    const before = inference.sealed;
    for (const said of [{}, { photoSource: 'file' }]) {
      const answer = await enrolPerson(listId, enrolBody(clock, said), customer);
      expect(answer).toMatchObject({ status: 409, body: { code: 'camera-required' } });
    }
    const nonsense = await enrolPerson(listId, enrolBody(clock, { photoSource: 'any' }), customer);
    expect(nonsense).toMatchObject({ status: 400, body: { errors: [{ pointer: '/photoSource' }] } });
    expect(inference.sealed).toBe(before);
    expect((await enrolPerson(listId, enrolBody(clock, { photoSource: 'camera' }), customer)).status).toBe(201);
    const any = await createList(customer);
    expect((await enrolPerson(any, enrolBody(clock, { photoSource: 'file' }), customer)).status).toBe(201);
  });

  it('tells guests’ pages, and costs them no attempt', async () => {
    const eventId = await createEvent(customer, clock);
    expect((await customer.request('POST', `/v1/events/${eventId}/widget`, widgetSettings)).status).toBe(200);
    await createList(customer, { name: 'Concert', eventId, photoSource: 'camera' });
    const { token } = await createToken(customer, eventId);
    const page = createGuestPage(api, token);
    expect((await page.session()).body).toMatchObject({ photoSource: 'camera', attemptsLeft: 5 });
    const { body } = await page.session();
    const { wordingSha256 } = body as { wordingSha256: string };
    const consent = { consentVersion: 'eu-v2', explicitBiometricConsent: true, writtenRelease: true };
    const enrol = (photoSource?: string) =>
      page.enrol({
        body: {
          consent,
          language: 'en',
          wordingSha256,
          imageBase64: Buffer.from('a face').toString('base64'),
          photoSource,
        },
      });
    for (const said of [undefined, 'file']) {
      expect(await enrol(said)).toMatchObject({ status: 409, body: { code: 'camera-required' } });
    }
    expect((await page.session()).body).toMatchObject({ attemptsLeft: 5 });
    expect((await enrol('camera')).status).toBe(201);
  });
});

describe('a list whose photos are checked', () => {
  it('refuses a picture of a picture, which others take; nothing is stored and the answer has no figure', async () => {
    const listId = await createList(customer, { ...members, photoCheck: 'passive' });
    const refused = await enrolPerson(listId, enrolBody(clock, { image: 'a print' }), customer);
    expect(refused).toMatchObject({ status: 422, body: { code: 'photo-not-live' } });
    expect(refused.body).not.toHaveProperty('measured');
    expect((await customer.request('GET', `/v1/lists/${listId}/people`)).body).toMatchObject({ items: [] });
    expect((await enrolPerson(listId, enrolBody(clock), customer)).status).toBe(201);
    const unchecked = await createList(customer);
    expect((await enrolPerson(unchecked, enrolBody(clock, { image: 'a print' }), customer)).status).toBe(201);
  });

  it('cannot be had where no check is installed, nor be enrolled into there', async () => {
    const asked = { ...members, photoCheck: 'passive' };
    const answer = await elsewhere().request('POST', '/v1/lists', asked);
    expect(answer).toMatchObject({ status: 409, body: { code: 'model-unavailable' } });
    const listId = await createList(customer, asked);
    const before = inference.sealed;
    const missing = await enrolPerson(listId, enrolBody(clock), elsewhere());
    expect(missing).toMatchObject({ status: 503, body: { code: 'model-missing' } });
    expect(inference.sealed).toBe(before);
  });
});
