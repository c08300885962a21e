import { DAY_MS, END_UNDO_MS, type ListResource, listSchema } from '@svc/protocol';
import { describe, expect, it } from 'vitest';
import { startApi } from '../../compose/start-api.ts';
import { enrolBody, enrolPerson } from '../../testing/enrolment-fixture.ts';
import { createFakeInference, type TestApi } from '../../testing/index.ts';
import { keyFiles } from '../../testing/key-stores.ts';
import { useApi } from '../../testing/use-api.ts';

const { api, clock, customer, database } = useApi();

interface Items<T> {
  items: T[];
  nextCursor: string | null;
}

const create = (request: object, owner = customer) => owner.request<ListResource>('POST', '/v1/lists', request);
const createOngoing = async () => (await create({ name: 'x', ongoing: true })).body.listId;
const iso = (ms: number) => new Date(ms).toISOString();

async function createEvent(o: { endsInMs?: number; country?: string } = {}): Promise<string> {
  const answer = await customer.request<{ eventId: string }>('POST', '/v1/events', {
    name: 'Concert',
    startsAt: iso(clock.now() - DAY_MS * 100),
    endsAt: iso(clock.now() + (o.endsInMs ?? DAY_MS)),
    country: o.country,
  });
  expect(answer.status).toBe(201);
  return answer.body.eventId;
}

async function enrol(listId: string, personId: string) {
  expect((await enrolPerson(listId, enrolBody(clock, { personId }), customer)).status).toBe(201);
}

const rows = async (table: string, listId: string) => database.connection(table).where({ list_id: listId });

describe('events', () => {
  it('are created, read and listed newest first, each to its own account', async () => {
    const first = await createEvent({ country: 'AT' });
    clock.advance(1);
    const second = await createEvent();
    const read = await customer.request('GET', `/v1/events/${first}`);
    const createdAt = iso(clock.now() - 1);
    expect(read.body).toMatchObject({ eventId: first, name: 'Concert', country: 'AT', createdAt });
    const page = await customer.request<Items<{ eventId: string }>>('GET', '/v1/events?limit=1');
    expect(page.body.items.map((event) => event.eventId)).toEqual([second]);
    const next = await customer.request<Items<{ eventId: string }>>('GET', `/v1/events?cursor=${page.body.nextCursor}`);
    expect(next.body).toMatchObject({ items: [{ eventId: first }], nextCursor: null });
    const stranger = await api.customer();
    expect((await stranger.request('GET', `/v1/events/${first}`)).status).toBe(404);
    expect((await stranger.request<Items<unknown>>('GET', '/v1/events')).body.items).toEqual([]);
  });

  it('end before the calendar does', async () => {
    const request = (endsAt: string) =>
      customer.request('POST', '/v1/events', { name: 'x', startsAt: '0001-01-01T00:00:00Z', endsAt });
    const late = await request('9998-12-31T23:59:59.999Z');
    expect(late.status).toBe(201);
    const list = await create({ name: 'x', eventId: late.body.eventId, retainDays: 30 });
    expect(list.body.retentionDeadline).toBe('9999-01-30T23:59:59.999Z');
    expect((await request('9999-01-01T00:00:00Z')).body).toMatchObject({ errors: [{ pointer: '/endsAt' }] });
    expect((await request('0000-12-31T00:00:00Z')).status).toBe(400);
  });
});

describe('creating a list', () => {
  it('answers the whole list and where it is', async () => {
    const answer = await create({ name: 'Members', ongoing: true });
    expect(answer.status).toBe(201);
    const list = listSchema.parse(answer.body);
    const open = { enrollmentClosed: false, retainDays: 365, retentionDeadline: null };
    expect(list).toMatchObject({ consentVersion: 'eu-v2', ...open });
    const location = answer.headers.get('location') ?? '';
    const engine = { modelId: list.modelId, engineId: 'dlib-resnet-128-mirror/2' };
    const read = (await customer.request('GET', location)).body;
    expect(read).toEqual({ ...answer.body, models: [{ ...engine, people: 0 }] });
  });

  it('takes the deadline from the event, and its country unless it has its own', async () => {
    const endsInMs = 3 * DAY_MS;
    const eventId = await createEvent({ endsInMs, country: 'US' });
    const list = (await create({ name: 'Concert', eventId, retainDays: 2 })).body;
    expect(list).toMatchObject({
      retentionDeadline: iso(clock.now() + endsInMs + 2 * DAY_MS),
      country: 'US',
      consentVersion: 'us-v2',
    });
    const other = await createEvent({ country: 'US' });
    expect((await create({ name: 'Concert', eventId: other, country: 'GB' })).body.consentVersion).toBe('uk-v2');
  });

  it('decides the consent version by list, account, then currency', async () => {
    const version = async (list: object, account: Parameters<TestApi['customer']>[0]) =>
      (await create({ name: 'x', ongoing: true, ...list }, await api.customer(account))).body.consentVersion;
    expect(await version({ country: 'US' }, { country: 'DE' })).toBe('us-v2');
    expect(await version({}, { country: 'GB', billingCurrency: 'EUR' })).toBe('uk-v2');
    expect(await version({}, { billingCurrency: 'USD' })).toBe('us-v2');
  });

  it('refuses a second list of an event, also when both are asked for at once, and a list of an event that is over', async () => {
    const eventId = await createEvent();
    const both = await Promise.all([create({ name: 'a', eventId }), create({ name: 'b', eventId })]);
    expect(both.map((answer) => answer.status).sort()).toEqual([201, 409]);
    const refused = both.find((answer) => answer.status === 409);
    expect(refused?.body).toMatchObject({ code: 'event-has-list' });
    const over = await createEvent({ endsInMs: -DAY_MS });
    expect((await create({ name: 'x', eventId: over })).body).toMatchObject({ code: 'event-ended' });
    expect((await create({ name: 'x', eventId: over, retainDays: 2 })).status).toBe(201);
    const stranger = await api.customer();
    expect((await create({ name: 'x', eventId }, stranger)).status).toBe(404);
  });

  it('leaves no key behind when there was no list to make', async () => {
    const eventId = await createEvent();
    await create({ name: 'x', eventId });
    const before = await keyFiles(api.config);
    await create({ name: 'x', eventId });
    expect(await keyFiles(api.config)).toEqual(before);
  });
});

describe('closing and ending', () => {
  it('take a version each, and change nothing the second time; an end alone is undone, for ten minutes', async () => {
    const listId = await createOngoing();
    const close = () => customer.request<ListResource>('POST', `/v1/lists/${listId}/close-enrollment`);
    const end = () => customer.request<ListResource>('POST', `/v1/lists/${listId}/end`);
    const closed = await close();
    expect([closed.status, closed.body.enrollmentClosed, closed.body.endedAt]).toEqual([200, true, null]);
    expect((await close()).body).toEqual(closed.body);
    const ended = await end();
    clock.advance(1_000);
    expect((await end()).body).toEqual(ended.body);
    expect(ended.body).toMatchObject({ enrollmentClosed: true, endedAt: iso(clock.now() - 1_000) });
    const [row] = await rows('lists', listId);
    expect(row).toMatchObject({ list_version: 3 });
    const undo = () => customer.request<ListResource>('POST', `/v1/lists/${listId}/end/undo`);
    clock.advance(END_UNDO_MS - 1_001);
    expect((await undo()).body).toMatchObject({ state: 'closed', endedAt: null, enrollmentClosed: true });
    expect([(await undo()).status, (await rows('lists', listId))[0]?.list_version]).toEqual([200, 4]);
    await end();
    clock.advance(END_UNDO_MS);
    expect([(await undo()).status, (await end()).body.state]).toEqual([409, 'ended']);
  });
});

describe('finding lists', () => {
  const ids = async (query: string, owner = customer) => {
    const answer = await owner.request<Items<ListResource>>('GET', `/v1/lists?${query}`);
    expect(answer.status).toBe(200);
    return answer.body.items.map(({ listId }) => listId);
  };

  it('by their event, and those without one, each account its own', async () => {
    const eventId = await createEvent();
    const ofEvent = (await create({ name: 'a', eventId })).body.listId;
    clock.advance(1);
    const ongoing = (await create({ name: 'b', ongoing: true })).body.listId;
    expect(await ids(`eventId=${eventId}`)).toEqual([ofEvent]);
    expect(await ids('ongoing=true')).toEqual([ongoing]);
    expect(await ids('')).toEqual([ongoing, ofEvent]);
    expect(await ids(`eventId=${eventId}&ongoing=true`)).toEqual([]);
    expect(await ids(`eventId=evt_01jwnafy00e2rbg3vfk4s6q9tz`)).toEqual([]);
    const stranger = await api.customer();
    expect(await ids(`eventId=${eventId}`, stranger)).toEqual([]);
  });
});

describe('what a list counts', () => {
  const counts = async (path: string) => {
    const { body } = await customer.request<{ state: string; people: number; devices: number }>('GET', path);
    return [body.state, body.people, body.devices];
  };

  it('is kept through enrolments and erasures, and told with its event', async () => {
    const eventId = await createEvent();
    const { body } = await create({ name: 'x', eventId });
    const { listId } = body;
    expect(body).toMatchObject({ state: 'open', people: 0, devices: 0 });
    for (const personId of ['a', 'b', 'a']) await enrol(listId, personId);
    const device = await customer.request<{ id: string }>('POST', `/v1/lists/${listId}/devices`);
    expect(await counts(`/v1/lists/${listId}`)).toEqual(['open', 2, 1]);
    const event = () => customer.request('GET', `/v1/events/${eventId}`);
    expect((await event()).body).toMatchObject({ listId, listState: 'open', counts: { people: 2, devices: 1 } });
    await customer.request('DELETE', `/v1/lists/${listId}/people/a`);
    await customer.request('DELETE', `/v1/lists/${listId}/devices/${device.body.id}`);
    const closed = await customer.request('POST', `/v1/lists/${listId}/close-enrollment`);
    expect(closed.body).toMatchObject({ state: 'closed', people: 1, devices: 0 });
    await customer.request('DELETE', `/v1/lists/${listId}`);
    expect((await event()).body).toMatchObject({ listId: null, counts: null });
  });

  it('is counted anew, once, after a node of an earlier version enrolled or erased', async () => {
    const listId = await createOngoing();
    await enrol(listId, 'a');
    const list = database.connection('lists').where({ list_id: listId });
    const older = async () => {
      await database.connection('people').where({ list_id: listId }).update({ person_id: 'b' });
      await list.clone().update({ people: 7, list_version: database.connection.raw('list_version + 1') });
    };
    await older();
    expect(await counts(`/v1/lists/${listId}`)).toEqual(['open', 1, 0]);
    const kept = () =>
      list.clone().first('people', database.connection.raw('people_version = list_version AS is_right'));
    expect(await kept()).toEqual({ people: 1, is_right: true });
    await enrol(listId, 'c');
    expect(await kept()).toEqual({ people: 2, is_right: true });
    // As after an update: lists of an earlier version have no number.
    await list.clone().update({ people: null, people_version: null });
    await enrol(listId, 'd');
    expect(await counts(`/v1/lists/${listId}`)).toEqual(['open', 3, 0]);
  });

  it('waits for nobody who changes the list', async () => {
    const listId = await createOngoing();
    await enrol(listId, 'a');
    await database.connection('lists').where({ list_id: listId }).update({ people_version: null });
    await database.transaction(async (tx) => {
      await tx('lists').where({ list_id: listId }).forUpdate().first('list_id');
      expect(await counts(`/v1/lists/${listId}`)).toEqual(['open', 1, 0]);
    });
  });

  it('is nobody past the deadline', async () => {
    const { listId } = (await create({ name: 'x', eventId: await createEvent() })).body;
    await enrol(listId, 'a');
    clock.advance(DAY_MS);
    expect(await counts(`/v1/lists/${listId}`)).toEqual(['ended', 0, 0]);
  });
});

describe('what deleting a list would do', () => {
  const impact = async (listId: string, owner = customer) =>
    owner.request<Record<string, unknown>>('GET', `/v1/lists/${listId}/impact`);

  it('is told by numbers, and changes nothing', async () => {
    const eventId = await createEvent({ endsInMs: 20 * DAY_MS });
    const { listId } = (await create({ name: 'x', eventId })).body;
    expect((await impact(listId)).body).toEqual({
      ...{ people: 0, firstDeleteAfter: null, lastDeleteAfter: null },
      ...{ devices: 0, devicesWithCopy: 0, lastSyncAt: null, validTokens: 0, guestLinks: 0 },
    });
    const widget = { organiserName: 'Hall', privacyNoticeUrl: 'https://example.org/privacy' };
    await customer.request('POST', `/v1/events/${eventId}/widget`, widget);
    const token = async (request: object) =>
      (await customer.request<{ tokenId: string }>('POST', `/v1/events/${eventId}/enrolment-tokens`, request)).body;
    await token({ ticketId: 'page' });
    await token({ ticketId: 'link', validForHours: 48 });
    const revoked = await token({ ticketId: 'revoked', validForHours: 48 });
    await customer.request('DELETE', `/v1/events/${eventId}/enrolment-tokens/${revoked.tokenId}`);
    for (const personId of ['a', 'b']) await enrol(listId, personId);
    const device = async () => (await customer.request<{ id: string }>('POST', `/v1/lists/${listId}/devices`)).body.id;
    const [synced, , gone] = [await device(), await device(), await device()];
    await customer.request('DELETE', `/v1/lists/${listId}/devices/${gone}`);
    const syncedAt = new Date(clock.now());
    await database.connection('devices').where({ device_id: synced }).update({ last_sync_at: syncedAt });
    const deadline = iso(clock.now() + 20 * DAY_MS);
    expect((await impact(listId)).body).toEqual({
      ...{ people: 2, firstDeleteAfter: deadline, lastDeleteAfter: deadline },
      ...{ devices: 2, devicesWithCopy: 1, lastSyncAt: syncedAt.toISOString(), validTokens: 2, guestLinks: 1 },
    });
    clock.advance(DAY_MS / 24);
    expect((await impact(listId)).body).toMatchObject({ people: 2, validTokens: 1, guestLinks: 1 });
    expect((await rows('lists', listId))[0]).toMatchObject({ deleting_at: null, ended_at: null });
  });
});

describe('people of a list', () => {
  it('are gone once erased: person, face and all; the ledger stays and notes a withdrawal', async () => {
    const listId = await createOngoing();
    await enrol(listId, 'a/b');
    await enrol(listId, 'other');
    const path = `/v1/lists/${listId}/people/${encodeURIComponent('a/b')}`;
    expect((await customer.request('DELETE', `${path}?reason=bored`)).status).toBe(400);
    expect((await customer.request('DELETE', `${path}?reason=consent-withdrawn`)).status).toBe(204);
    expect((await customer.request('GET', path)).status).toBe(404);
    expect((await customer.request('DELETE', path)).status).toBe(404);
    expect(await rows('faces', listId)).toHaveLength(1);
    expect(await rows('people', listId)).toHaveLength(1);
    expect(await rows('face_removals', listId)).toMatchObject([{ version: 4 }]);
    const kinds = (await rows('consents', listId)).map((record) => record.kind);
    expect(kinds.sort()).toEqual(['given', 'given', 'withdrawn']);
  });

  it('that are enrolled again after being erased are no removal any more', async () => {
    const listId = await createOngoing();
    await enrol(listId, 'p');
    await customer.request('DELETE', `/v1/lists/${listId}/people/p`);
    await enrol(listId, 'p');
    expect(await rows('face_removals', listId)).toEqual([]);
    expect(await rows('faces', listId)).toMatchObject([{ version: 4, withheld_version: null }]);
  });
});

describe('deleting a list', () => {
  it('destroys its keys and everything of it but the ledger; its devices become tombstones', async () => {
    const listId = await createOngoing();
    await enrol(listId, 'p');
    const device = await customer.request<{ id: string }>('POST', `/v1/lists/${listId}/devices`);
    expect(device.status).toBe(201);
    expect((await customer.request('DELETE', `/v1/lists/${listId}`)).status).toBe(204);
    expect((await customer.request('GET', `/v1/lists/${listId}`)).status).toBe(404);
    expect((await customer.request('DELETE', `/v1/lists/${listId}`)).status).toBe(404);
    expect(await keyFiles(api.config, [listId])).toEqual([]);
    for (const table of ['lists', 'list_epochs', 'faces', 'people', 'devices'])
      expect(await rows(table, listId)).toEqual([]);
    expect(await rows('consents', listId)).toHaveLength(1);
    expect(await rows('wipe_tombstones', listId)).toMatchObject([
      { device_id: device.body.id, reason: 'list-deleted' },
    ]);
  });

  it('that was interrupted reads as done, and is finished by the next call or at the next start', async () => {
    const listId = await createOngoing();
    await enrol(listId, 'p');
    await database.connection('lists').where({ list_id: listId }).update({ deleting_at: new Date() });
    for (const path of ['', '/people', '/people/p', '/devices']) {
      expect((await customer.request('GET', `/v1/lists/${listId}${path}`)).status).toBe(404);
    }
    expect((await customer.request<Items<ListResource>>('GET', '/v1/lists')).body.items).toEqual([]);
    const called = await createOngoing();
    await database.connection('lists').where({ list_id: called }).update({ deleting_at: new Date() });
    expect((await customer.request('DELETE', `/v1/lists/${called}`)).status).toBe(204);
    expect(await rows('lists', called)).toEqual([]);
    const second = await startApi(api.config, { createInference: () => createFakeInference() });
    await second.close();
    expect(await rows('lists', listId)).toEqual([]);
    expect(await keyFiles(api.config, [listId])).toEqual([]);
  });

  it('that was interrupted and takes long to finish does not keep the service from starting', async () => {
    const listId = await createOngoing();
    await database.connection('lists').where({ list_id: listId }).update({ deleting_at: new Date() });
    const second = await database.connection.transaction(async (tx) => {
      await tx('lists').where({ list_id: listId }).forUpdate();
      const started = await startApi(api.config, { createInference: () => createFakeInference() });
      await expect.poll(async () => (await fetch(`${started.url}/readyz`)).status).toBe(200);
      return started;
    });
    await second.close();
    expect(await rows('lists', listId)).toEqual([]);
  });
});
