import { type EventResource, HOUR_MS } from '@svc/protocol';
import { describe, expect, it } from 'vitest';
import { createList, enrolBody, enrolPerson, inDatabase } from '../../testing/enrolment-fixture.ts';
import { useStage } from '../../testing/use-api.ts';
import { createEvent, createGuestPage, createToken, widgetSettings } from '../../testing/widget-fixture.ts';

const { api, clock, customer, stage } = useStage();

const inHours = (hours: number) => new Date(clock.now() + hours * HOUR_MS).toISOString();
const patch = (body: unknown, eventId = stage.eventId, owner = customer) =>
  owner.request('PATCH', `/v1/events/${eventId}`, body);
const read = async (path: string) => (await customer.request(`GET`, path)).body;
const listNow = () => read(`/v1/lists/${stage.listId}`);

describe('changing an event', () => {
  it('changes what is named, and nothing else', async () => {
    const before = await read(`/v1/events/${stage.eventId}`);
    const answer = await patch({ name: 'Encore', country: 'AT' });
    expect([answer.status, answer.body]).toEqual([200, { ...before, name: 'Encore', country: 'AT' }]);
    expect((await patch({ country: null })).body).toMatchObject({ name: 'Encore', country: null });
    expect((await patch({})).body).toEqual(await read(`/v1/events/${stage.eventId}`));
    expect(await listNow()).toMatchObject({ name: 'Concert', consentVersion: 'eu-v2' });
  });

  it('keeps the time zone of the place until it is changed or removed', async () => {
    expect((await patch({ timeZone: 'America/Argentina/Buenos_Aires' })).status).toBe(200);
    expect((await patch({ name: 'Encore' })).body).toMatchObject({ timeZone: 'America/Argentina/Buenos_Aires' });
    expect(await read(`/v1/events/${stage.eventId}`)).toMatchObject({ timeZone: 'America/Argentina/Buenos_Aires' });
    expect((await patch({ timeZone: null })).body).toMatchObject({ timeZone: null });
    const asked = { name: 'Fair', startsAt: inHours(1), endsAt: inHours(2), timeZone: 'Asia/Tokyo' };
    expect((await customer.request('POST', '/v1/events', asked)).body).toMatchObject({
      ...{ timeZone: 'Asia/Tokyo', state: 'upcoming', listId: null, listState: null, counts: null },
    });
  });

  it('keeps the place as one line without white space around it, until it is changed or removed', async () => {
    expect(await read(`/v1/events/${stage.eventId}`)).toMatchObject({ place: null });
    expect((await patch({ place: ` ${'ü'.repeat(140)}\n` })).body).toMatchObject({ place: 'ü'.repeat(140) });
    expect((await patch({ name: 'Encore' })).body).toMatchObject({ place: 'ü'.repeat(140) });
    expect((await patch({ place: null })).body).toMatchObject({ place: null });
    const asked = { name: 'Fair', startsAt: inHours(1), endsAt: inHours(2), place: 'Pier 2' };
    expect((await customer.request('POST', '/v1/events', asked)).body).toMatchObject({ place: 'Pier 2' });
  });

  it.each([
    [{ place: ' ' }, '/place'],
    [{ place: 'x'.repeat(141) }, '/place'],
    [{ place: 'Hall\nGate' }, '/place'],
    [{ place: 'Hall \u202e etaG' }, '/place'],
    [{ endsAt: '9999-01-01T00:00:00Z' }, '/endsAt'],
    [{ endsAt: '2000-01-01T00:00:00Z' }, '/endsAt'],
    [{ startsAt: '9998-01-01T00:00:00Z' }, '/startsAt'],
    [{ startsAt: '9998-01-02T00:00:00Z', endsAt: '9998-01-01T00:00:00Z' }, '/endsAt'],
    [{ timeZone: 'Europe/Atlantis' }, '/timeZone'],
    [{ timeZone: '+02:00' }, '/timeZone'],
  ])('400: %j', async (body, pointer) => {
    const answer = await patch(body);
    expect([answer.status, answer.body]).toMatchObject([400, { code: 'invalid-request', errors: [{ pointer }] }]);
  });
});

describe('finding events by their state', () => {
  const ids = async (query: string, owner = customer) => {
    const answer = await owner.request<{ items: { eventId: string; state: string }[] }>('GET', `/v1/events?${query}`);
    return answer.body.items.map(({ eventId, state }) => [eventId, state]);
  };

  it('before, in and after their time, by the service’s clock', async () => {
    const asked = { name: 'Fair', startsAt: inHours(2), endsAt: inHours(4) };
    clock.advance(1);
    const { body } = await customer.request<{ eventId: string }>('POST', '/v1/events', asked);
    const { eventId } = body;
    expect(await ids('state=upcoming')).toEqual([[eventId, 'upcoming']]);
    expect(await ids('state=running')).toEqual([[stage.eventId, 'running']]);
    expect(await ids('state=over')).toEqual([]);
    expect(await ids('state=upcoming', await api.customer())).toEqual([]);
    clock.advance(2 * HOUR_MS);
    expect(await ids('state=running&limit=1')).toEqual([[eventId, 'running']]);
    clock.advance(2 * HOUR_MS);
    expect(await ids('state=over')).toEqual([[eventId, 'over']]);
  });
});

describe('moving the end', () => {
  async function enrolled(): Promise<void> {
    expect((await enrolPerson(stage.listId, enrolBody(clock), customer)).status).toBe(201);
  }
  const device = async () => {
    const added = await customer.request<{ expiresAt: string }>('POST', `/v1/lists/${stage.listId}/devices`, {});
    expect(added.status).toBe(201);
    return added.body;
  };
  const expiries = async () => (await read(`/v1/lists/${stage.listId}/devices`)).items as { expiresAt: string }[];
  const deleteAfter = async () => (await read(`/v1/lists/${stage.listId}/people/ticket-1`)).deleteAfter;

  it('sooner shortens everything: list, faces, devices, tokens', async () => {
    await enrolled();
    await device();
    const token = await createToken(customer, stage.eventId, { ticketId: 'other', validForHours: 48 });
    const versions = 'SELECT list_version::int AS v, delete_after AS at FROM lists JOIN faces USING (list_id)';
    const version = async () =>
      (await inDatabase<{ v: number; at: Date }>(api, `${versions} WHERE list_id = $1`, [stage.listId]))[0];
    const before = await version();
    expect((await patch({ endsAt: inHours(2) })).status).toBe(200);
    expect(await listNow()).toMatchObject({ retentionDeadline: inHours(2) });
    expect(await deleteAfter()).toBe(inHours(2));
    expect(await expiries()).toMatchObject([{ expiresAt: inHours(2) }]);
    expect((await createGuestPage(api, token.token).session()).body).toMatchObject({ expiresAt: inHours(2) });
    expect(await version()).toEqual({ v: (before?.v ?? 0) + 1, at: new Date(inHours(2)) });
  });

  it('later extends list and devices but no face, as people have not consented to more', async () => {
    await enrolled();
    const until = inHours(72);
    await device();
    expect((await patch({ endsAt: inHours(100) })).status).toBe(200);
    expect(await listNow()).toMatchObject({ retentionDeadline: inHours(100) });
    expect(await expiries()).toMatchObject([{ expiresAt: inHours(100) }]);
    expect(await deleteAfter()).toBe(until);
    await enrolled();
    expect(await deleteAfter()).toBe(inHours(100));
  });

  it('counts the days that the list retains', async () => {
    const eventId = await createEvent(customer, clock);
    const listId = await createList(customer, { name: 'x', eventId, retainDays: 2 });
    await patch({ endsAt: inHours(10) }, eventId);
    expect(await read(`/v1/lists/${listId}`)).toMatchObject({ retentionDeadline: inHours(58) });
  });

  it('409 when the list’s deadline would have passed, or has', async () => {
    const past = { startsAt: inHours(-3), endsAt: inHours(-1) };
    expect((await patch(past)).body).toMatchObject({ code: 'event-ended' });
    expect(await listNow()).toMatchObject({ retentionDeadline: inHours(72) });
    clock.advance(72 * HOUR_MS);
    expect((await patch({ endsAt: inHours(5) })).body).toMatchObject({ code: 'event-ended' });
    expect((await patch({ name: 'over' })).status).toBe(200);
  });

  it('of an event without a list is free', async () => {
    const eventId = await createEvent(customer, clock);
    expect((await patch({ startsAt: inHours(-30), endsAt: inHours(-20) }, eventId)).status).toBe(200);
    const refused = await customer.request('POST', '/v1/lists', { name: 'x', eventId });
    expect([refused.status, refused.body.code]).toEqual([409, 'event-ended']);
  });

  it('while the list is being made: its deadline is the event’s in the end', async () => {
    for (let i = 0; i < 5; i += 1) {
      const eventId = await createEvent(customer, clock);
      const [list] = await Promise.all([
        customer.request<{ listId: string }>('POST', '/v1/lists', { name: 'x', eventId }),
        patch({ endsAt: inHours(5) }, eventId),
      ]);
      expect(await read(`/v1/lists/${list.body.listId}`)).toMatchObject({ retentionDeadline: inHours(5) });
    }
  });
});

describe('the widget’s settings', () => {
  const set = (body: unknown, eventId = stage.eventId, owner = customer) =>
    owner.request('POST', `/v1/events/${eventId}/widget`, body);

  it('are null until they are set, and are read back', async () => {
    const eventId = await createEvent(customer, clock);
    expect(await read(`/v1/events/${eventId}`)).toMatchObject({ widget: null });
    const answer = await set(widgetSettings, eventId);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual(await read(`/v1/events/${eventId}`));
    expect(answer.body).toMatchObject({ eventId, widget: widgetSettings });
    await patch({ name: 'Encore' }, eventId);
    expect(await read(`/v1/events/${eventId}`)).toMatchObject({ name: 'Encore', widget: widgetSettings });
  });

  it.each([
    'http://example.org/privacy',
    'javascript:alert(1)',
    'https:///privacy',
    'https://user:secret@example.org/',
    'https://exam\nple.org/',
    `https://example.org/${'x'.repeat(2048)}`,
  ])('400: privacy notice at %j', async (privacyNoticeUrl) => {
    const answer = await set({ ...widgetSettings, privacyNoticeUrl });
    expect([answer.status, answer.body]).toMatchObject([400, { errors: [{ pointer: '/privacyNoticeUrl' }] }]);
  });
});

describe('deleting an event', () => {
  const remove = (eventId = stage.eventId, owner = customer) => owner.request('DELETE', `/v1/events/${eventId}`);

  it('409 as long as it has a list: faces are never deleted by the way', async () => {
    const refused = await remove();
    expect([refused.status, refused.body.code]).toEqual([409, 'event-has-list']);
    await customer.request('DELETE', `/v1/lists/${stage.listId}`);
    expect((await remove()).status).toBe(204);
    expect((await remove()).status).toBe(404);
    expect((await customer.request('GET', `/v1/events/${stage.eventId}`)).status).toBe(404);
  });

  it('or making its list: one of the two', async () => {
    for (let i = 0; i < 5; i += 1) {
      const eventId = await createEvent(customer, clock);
      const [made, removed] = await Promise.all([
        customer.request('POST', '/v1/lists', { name: 'x', eventId }),
        remove(eventId),
      ]);
      expect([
        [201, 409],
        [404, 204],
      ]).toContainEqual([made.status, removed.status]);
    }
  });
});

describe('copying an event', () => {
  const copy = (eventId = stage.eventId, headers = {}, endsAt = inHours(30), country: string | null = null) => {
    const body = { name: 'Encore', startsAt: inHours(25), endsAt, country };
    return customer.request<EventResource>('POST', `/v1/events/${eventId}/copy`, body, { headers });
  };

  it('takes place, organiser, looks and the settings of the list; no people, doors, links or secrets', async () => {
    const brand = { accent: '#ffe600', heading: { en: 'Walk in' } };
    await patch({ place: 'Pier 2', timeZone: 'Asia/Tokyo', country: 'AT' });
    await customer.request('POST', `/v1/events/${stage.eventId}/widget`, { ...widgetSettings, brand });
    const settings = { headTurnAlternative: 'light', reEntry: 'refuse', attendance: 'unattended', enrolmentGoal: 500 };
    await customer.request('PATCH', `/v1/lists/${stage.listId}`, settings);
    await enrolPerson(stage.listId, enrolBody(clock, { personId: 'ada' }), customer);
    await customer.request('POST', `/v1/lists/${stage.listId}/devices`);
    await createToken(customer, stage.eventId);
    const { status, headers, body } = await copy();
    const { eventId, listId } = body;
    expect([status, headers.get('location')]).toEqual([201, `/v1/events/${eventId}`]);
    expect(body).toMatchObject({
      ...{ name: 'Encore', startsAt: inHours(25), place: 'Pier 2', timeZone: 'Asia/Tokyo', country: null },
      ...{ widget: widgetSettings, counts: { people: 0, devices: 0 }, state: 'upcoming' },
    });
    expect(await read(`/v1/events/${eventId}`)).toEqual(body);
    expect(await read(`/v1/events/${eventId}/widget`)).toMatchObject({ brand });
    const { models: _new, createdAt, retentionDeadline, ...own } = await read(`/v1/lists/${listId}`);
    expect(retentionDeadline).toBe(inHours(30 + 24 * Number(own.retainDays)));
    const { models: _old, ...former } = await listNow();
    expect(own.name).toBe('Encore');
    expect(former).toMatchObject({ ...own, ...stage, name: 'Concert', people: 1, devices: 1 });
    expect((await enrolPerson(listId ?? '', enrolBody(clock, { personId: 'ada' }), customer)).status).toBe(201);
    expect((await read(`/v1/events/${eventId}/enrolment-tokens`)).items).toEqual([]);
  });

  it('in another country has its wording, unless the list has a country of its own', async () => {
    const asked = { name: 'Fair', startsAt: inHours(1), endsAt: inHours(24), country: 'US' };
    const { eventId } = (await customer.request<EventResource>('POST', '/v1/events', asked)).body;
    const copied = async () => read(`/v1/lists/${(await copy(eventId, {}, inHours(30), 'GB')).body.listId}`);
    await createList(customer, { name: 'Fair', eventId });
    expect(await copied()).toMatchObject({ country: 'GB', consentVersion: 'uk-v2' });
    await patch({ country: 'DE' }, eventId);
    expect(await copied()).toMatchObject({ country: 'US', consentVersion: 'us-v2' });
  });

  it('takes what there is of one without a list; and with one, asks for the right to make lists', async () => {
    const asked = { name: 'Fair', startsAt: inHours(1), endsAt: inHours(2), place: 'Pier 2' };
    const { eventId } = (await customer.request<EventResource>('POST', '/v1/events', asked)).body;
    const { apiKey } = await api.admin.keys.create(customer.accountId, 'events', { scopes: ['events:write'] });
    const headers = { 'X-Api-Key': apiKey };
    expect((await copy(eventId, headers)).body).toMatchObject({ place: 'Pier 2', listId: null, widget: null });
    expect(await copy(stage.eventId, headers)).toMatchObject({ status: 403, body: { code: 'insufficient-scope' } });
    expect((await copy(stage.eventId, {}, inHours(25))).body).toMatchObject({ errors: [{ pointer: '/endsAt' }] });
  });
});
