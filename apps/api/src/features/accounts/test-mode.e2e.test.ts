import { isSecret, photoRefusals, TEST_LIMITS, type TestPhotoName, testPhoto } from '@svc/protocol';
import { describe, expect, it } from 'vitest';
import { createList, enrolBody, enrolPerson } from '../../testing/enrolment-fixture.ts';
import { addDevice, syncOf } from '../../testing/test-device.ts';
import { useApi } from '../../testing/use-api.ts';
import { createGuestPage, createStage, createToken } from '../../testing/widget-fixture.ts';

const { api, clock, customer } = useApi({ customer: { country: 'DE', mode: 'test', plan: null } });

const imageOf = (name: TestPhotoName) => Buffer.from(testPhoto(name)).toString('base64');
const bodyOf = (name: TestPhotoName, personId = 'ticket-1') => ({
  ...enrolBody(clock, { personId }),
  imageBase64: imageOf(name),
});
const enrolMany = (listId: string, from: number, count: number) =>
  customer.request<{ results: { status: number; problem?: { code: string } }[] }>(
    'POST',
    `/v1/lists/${listId}/people/batch`,
    { people: Array.from({ length: count }, (_, i) => bodyOf('enrolled', `ticket-${from + i}`)) },
  );

describe('a test account', () => {
  it('says so, has keys of its own, and costs nothing', async () => {
    expect((await customer.request('GET', '/v1/account')).body).toMatchObject({ mode: 'test' });
    expect(isSecret('svct', customer.apiKey)).toBe(true);
    const { body } = await customer.request<{ apiKey: string }>('POST', '/v1/api-keys', { name: 'more' });
    expect(isSecret('svct', body.apiKey)).toBe(true);
    const listId = await createList(customer);
    expect((await enrolPerson(listId, bodyOf('enrolled'), customer)).status).toBe(201);
    await api.admin.plans.set(customer.accountId, null);
    expect((await enrolPerson(listId, bodyOf('enrolled', 'ticket-2'), customer)).status).toBe(201);
    expect((await customer.request('GET', '/v1/usage')).body).toMatchObject({ peopleBilled: 0 });
  });

  it.each([...photoRefusals])('refuses its photo as %s', async (code) => {
    const listId = await createList(customer);
    expect((await enrolPerson(listId, bodyOf(code), customer)).body).toMatchObject({ code });
  });

  it('refuses every other photo, and a further one of another person', async () => {
    const listId = await createList(customer);
    const real = await enrolPerson(listId, enrolBody(clock), customer);
    expect(real).toMatchObject({ status: 422, body: { code: 'not-a-test-photo' } });
    const two = { ...bodyOf('enrolled'), additionalImagesBase64: [imageOf('enrolled'), imageOf('different-person')] };
    expect((await enrolPerson(listId, two, customer)).body).toMatchObject({
      code: 'different-person',
      errors: [{ pointer: '/additionalImagesBase64/1' }],
    });
  });

  it('syncs its records to devices in a manifest that says so', async () => {
    const listId = await createList(customer);
    await enrolPerson(listId, bodyOf('enrolled'), customer);
    const { manifest } = await syncOf(api, await addDevice(customer, listId));
    expect(manifest).toMatchObject({ command: 'keep', recordCount: 1, mode: 'test' });
  });

  it('shows guests that it is one, and takes test photos of them alone', async () => {
    const { eventId } = await createStage(customer, clock);
    const { token } = await createToken(customer, eventId);
    const guest = createGuestPage(api, token);
    expect((await guest.session()).body).toMatchObject({ mode: 'test' });
    expect(await guest.enrol({})).toMatchObject({ status: 422, body: { code: 'not-a-test-photo' } });
    const sent = { body: { imageBase64: imageOf('no-face') } };
    expect(await guest.enrol(sent)).toMatchObject({ status: 422, body: { code: 'no-face', attemptsLeft: 4 } });
    expect((await guest.enrol({ body: { imageBase64: imageOf('enrolled') } })).status).toBe(201);
    expect(await guest.session()).toMatchObject({ body: { code: 'token-used', token: { mode: 'test' } } });
  });

  it('has as many people, devices and lists as it may', async () => {
    const listId = await createList(customer);
    const { peopleOfList, devicesOfList, lists } = TEST_LIMITS;
    const { body } = await enrolMany(listId, 0, peopleOfList);
    expect(body.results.every(({ status }) => status === 201)).toBe(true);
    const refused = { status: 402, body: { code: 'test-limit-reached' } };
    expect(await enrolPerson(listId, bodyOf('enrolled', 'one-more'), customer)).toMatchObject(refused);
    expect((await enrolPerson(listId, bodyOf('enrolled', 'ticket-0'), customer)).status).toBe(201);
    const devices = `/v1/lists/${listId}/devices`;
    for (let i = 0; i < devicesOfList; i += 1) await addDevice(customer, listId);
    expect(await customer.request('POST', devices, {})).toMatchObject(refused);
    const { body: held } = await customer.request<{ items: { id: string }[] }>('GET', devices);
    await customer.request('DELETE', `${devices}/${held.items[0]?.id}`);
    expect((await customer.request('POST', devices, {})).status).toBe(201);
    for (let i = 1; i < lists; i += 1) await createList(customer);
    expect(await customer.request('POST', '/v1/lists', { name: 'x', ongoing: true })).toMatchObject(refused);
  });
});

describe('a live account', () => {
  it('has none of it: a test photo is looked at like any other, and devices are told nothing', async () => {
    const live = await api.customer({ country: 'DE' });
    expect((await live.request('GET', '/v1/account')).body).toMatchObject({ mode: 'live' });
    expect(isSecret('svck', live.apiKey)).toBe(true);
    const listId = await createList(live);
    // The engine of these tests takes every picture.
    expect((await enrolPerson(listId, bodyOf('no-face'), live)).status).toBe(201);
    const { manifest } = await syncOf(api, await addDevice(live, listId));
    expect(manifest).not.toHaveProperty('mode');
  });
});
