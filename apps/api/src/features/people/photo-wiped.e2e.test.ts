import { afterAll, beforeAll, beforeEach, describe, expect, inject, it, vi } from 'vitest';
import { createList, enrolBody, enrolPerson } from '../../testing/enrolment-fixture.ts';
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
