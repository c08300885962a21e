import { DAY_MS, HOUR_MS, type Metadata, type PersonResource } from '@svc/protocol';
import { describe, expect, it } from 'vitest';
import { createList, enrolBody, inDatabase } from '../testing/enrolment-fixture.ts';
import { createLogSink } from '../testing/test-api.ts';
import { addDevice, syncOf } from '../testing/test-device.ts';
import { useServices, useStage } from '../testing/use-api.ts';
import { createDeliveries } from '../testing/webhook-receiver.ts';
import { createGuestPage, createToken } from '../testing/widget-fixture.ts';

const logs = createLogSink();
const { api, clock, customer, stage } = useStage({ logDestination: logs });
const services = useServices(api, { clock });

type Noted = Record<string, string> & { readonly metadata: Metadata };
const inHours = (hours: number) => new Date(clock.now() + hours * HOUR_MS).toISOString();
const people = () => `/v1/lists/${stage.listId}/people`;

/** What has metadata: where it is created, with which body beside it, and what identifies it. */
const kinds = {
  event: [() => '/v1/events', () => ({ name: 'Fair', startsAt: inHours(1), endsAt: inHours(2) }), 'eventId'],
  list: [() => '/v1/lists', () => ({ name: 'Members', ongoing: true }), 'listId'],
  device: [() => `/v1/lists/${stage.listId}/devices`, () => ({}), 'deviceId'],
  'API key': [() => '/v1/api-keys', () => ({ name: 'Shop' }), 'keyId'],
  person: [people, () => enrolBody(clock, { personId: `T-${clock.now()}` }), 'personId'],
} as const;

/** An API key is read by a change of nothing. */
const readAs = (kind: keyof typeof kinds, path: string) =>
  kind === 'API key' ? customer.request<Noted>('PATCH', path, {}) : customer.request<Noted>('GET', path);

async function create(kind: keyof typeof kinds, metadata: unknown) {
  const [collection, body, name] = kinds[kind];
  clock.advance(1);
  const answer = await customer.request<Noted>('POST', collection(), { ...body(), metadata });
  const id = answer.body[name];
  const path = `${collection()}/${id}`;
  return {
    ...{ answer, id },
    read: async () => (await readAs(kind, path)).body.metadata,
    change: (change: unknown) => customer.request<Noted>('PATCH', path, { metadata: change }),
    found: async (query: string) => {
      const { body: page } = await customer.request<{ items: Noted[] }>('GET', `${collection()}?${query}`);
      return page.items.map((item) => item[name]);
    },
  };
}

const many = (from: number, to: number, value: string | null = 'x') =>
  Object.fromEntries(Array.from({ length: to - from }, (_, i) => [`k${from + i}`, value]));

describe.each(Object.keys(kinds) as (keyof typeof kinds)[])('metadata of one %s', (kind) => {
  it('is what was sent; a change keeps what it does not name, and removes by an empty value or null', async () => {
    const { answer, read, change } = await create(kind, {
      order: '8812-A',
      seat: 'C 14',
      none: '',
      'für später': '😀',
    });
    expect(answer.status).toBe(201);
    if (kind !== 'person') expect(answer.body.metadata).toEqual(await read());
    expect(await read()).toEqual({ order: '8812-A', seat: 'C 14', 'für später': '😀' });
    const { status, body } = await change({ order: '', seat: null, gate: 'north' });
    expect([status, body.metadata]).toEqual([200, { gate: 'north', 'für später': '😀' }]);
    expect((await change({})).body.metadata).toEqual(body.metadata);
    expect(await read()).toEqual(body.metadata);
    expect((await change(null)).body.metadata).toEqual({});
    expect(await (await create(kind, undefined)).read()).toEqual({});
  });

  it('finds it, by one key or several, whole values alone', async () => {
    const one = await create(kind, { tier: 'vip', 'seat no.': '14&C' });
    const other = await create(kind, { tier: 'vip' });
    await create(kind, { tier: 'VIP' });
    expect((await one.found('metadata[tier]=vip')).sort()).toEqual([one.id, other.id].sort());
    expect(await one.found('metadata%5Btier%5D=vip&metadata%5Bseat%20no.%5D=14%26C&limit=5')).toEqual([one.id]);
    expect(await one.found('metadata[tier]=vi')).toEqual([]);
    await other.change({ tier: 'none' });
    expect(await one.found('metadata[tier]=vip')).toEqual([one.id]);
    expect(await other.found('metadata[tier]=none')).toEqual([other.id]);
  });

  it('has at most 20 keys, however they come, and loses none when several change it at once', async () => {
    const refusal = [400, { errors: [{ pointer: '/metadata' }] }];
    const { answer } = await create(kind, many(0, 21));
    expect([answer.status, answer.body]).toMatchObject(refusal);
    const { change, read } = await create(kind, many(0, 20));
    const refused = await change(many(20, 21));
    expect([refused.status, refused.body]).toMatchObject(refusal);
    expect((await change({ ...many(0, 20, null), ...many(20, 32) })).body.metadata).toEqual(many(20, 32));
    const answers = await Promise.all(Array.from({ length: 8 }, (_, i) => change(many(32 + i, 33 + i))));
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
    expect(await read()).toEqual(many(20, 40));
  });
});

it('breaks no rule of keys and values, else 400', async () => {
  const { change } = await create('event', { ['k'.repeat(40)]: '😀'.repeat(500) });
  const broken = [
    ...[{ ['k'.repeat(41)]: 'x' }, { '': 'x' }, { 'a[b]': 'x' }, { 'a\0': 'x' }, { key: 'x'.repeat(501) }],
    ...[{ key: '\ud800' }, { key: 1 }, { key: {} }, JSON.parse('{"__proto__":"x"}') as object, ['x'], 'x'],
  ];
  const errors = [{ pointer: expect.stringMatching(/^\/metadata(\/(key|k+|__proto__))?$/) as string }];
  for (const metadata of broken) {
    for (const { status, body } of [(await create('event', metadata)).answer, await change(metadata)]) {
      expect([status, body], JSON.stringify(metadata)).toMatchObject([400, { errors }]);
    }
  }
});

it('is asked for in one way alone, else 400', async () => {
  const long = [`metadata[${'k'.repeat(41)}]=x`, `metadata[a]=${'x'.repeat(501)}`];
  const wrong = ['metadata=x', 'metadata[]=x', 'metadata[a][b]=x', 'metadata[a]=', 'metadata[a]=1&metadata[a]=2'];
  for (const query of [...long, ...wrong, 'metadata[a=x', 'metadata[__proto__]=x', 'limit[a]=1'])
    expect((await customer.request('GET', `${people()}?${query}`)).status, query).toBe(400);
});

describe('a person’s metadata', () => {
  const note = 'Marker-4471';
  const enrol = (o: Parameters<typeof enrolBody>[1], listId = stage.listId) =>
    customer.request('POST', `/v1/lists/${listId}/people`, enrolBody(clock, o));
  const change = (metadata: object, listId = stage.listId) =>
    customer.request('PATCH', `/v1/lists/${listId}/people/ticket-1`, { metadata });
  const read = async (listId = stage.listId) =>
    (await customer.request<PersonResource>('GET', `/v1/lists/${listId}/people/ticket-1`)).body.metadata;

  it('stays when the face is replaced, which may change it too', async () => {
    await enrol({ metadata: { seat: 'C 14', order: '1' } });
    expect((await enrol({ image: 'another face' })).status).toBe(201);
    expect(await read()).toEqual({ seat: 'C 14', order: '1' });
    await enrol({ metadata: { seat: null, gate: 'B' } });
    await Promise.all([enrol({ metadata: { one: '1' } }), change({ two: '2' }), enrol({ metadata: { three: '3' } })]);
    expect(await read()).toEqual({ order: '1', gate: 'B', one: '1', two: '2', three: '3' });
  });

  it('that was sealed for another row is none, and is replaced', async () => {
    await enrol({ metadata: { note } });
    await inDatabase(api, 'UPDATE people SET row_id = gen_random_uuid() WHERE list_id = $1', [stage.listId]);
    expect((await customer.request('GET', people())).body).toMatchObject({ items: [{ metadata: {} }] });
    await enrol({ metadata: { gate: 'B' } });
    expect(await read()).toEqual({ gate: 'B' });
  });

  it('is not that of somebody of the same ID whose time is over', async () => {
    const listId = await createList(customer, { name: 'x', ongoing: true, retainDays: 2 });
    await enrol({ metadata: { note } }, listId);
    clock.advance(2 * DAY_MS);
    expect((await change({ note: 'late' }, listId)).status).toBe(404);
    await enrol({}, listId);
    expect(await read(listId)).toEqual({});
  });

  it('selects people together with the other filters, and in counts', async () => {
    const tiers = { a1: 'x', a2: 'y', b1: 'y' };
    for (const [personId, tier] of Object.entries(tiers)) await enrol({ personId, metadata: { tier } });
    for (const [query, id] of Object.entries({
      'personIdPrefix=a': 'a2',
      'personId=b1': 'b1',
      'personId=a1': undefined,
    })) {
      const path = `${people()}?metadata[tier]=y&${query}`;
      const { items } = (await customer.request<{ items: PersonResource[] }>('GET', path)).body;
      expect([items.length, items[0]?.personId]).toEqual([id === undefined ? 0 : 1, id]);
    }
    const counts = await customer.request('GET', `${people()}-summary?metadata[tier]=y`);
    expect(counts.body).toMatchObject({ people: 2, enrolled: 2 });
  });

  it('is sealed where it is stored, differs by list, and is with nobody else: guest, device, webhook, log', async () => {
    await customer.request('POST', '/v1/webhooks', { url: 'https://receiver.example/hook' });
    const metadata = { note, [`${note}-key`]: 'x' };
    for (const listId of [stage.listId, await createList(customer)]) await enrol({ metadata }, listId);
    const device = await addDevice(customer, stage.listId, { metadata });
    for (const path of [`/v1/events/${stage.eventId}`, `/v1/lists/${stage.listId}`]) {
      expect((await customer.request('PATCH', path, { metadata })).status).toBe(200);
    }
    const sql = 'SELECT people::text AS row, metadata_refs::text AS refs FROM people WHERE account_id = $1';
    const rows = await inDatabase<{ row: string; refs: string }>(api, sql, [customer.accountId]);
    expect(new Set(rows.map(({ refs }) => refs)).size).toBe(2);
    const { token } = await createToken(customer, stage.eventId, { ticketId: 'guest' });
    const session = await createGuestPage(api, token).session();
    const { manifest, payload } = await syncOf(api, device);
    expect([session.status, manifest]).toMatchObject([200, { command: 'keep', listId: stage.listId }]);
    const { received, deliver } = createDeliveries(services);
    await deliver();
    expect(received.length).toBeGreaterThan(2);
    const texts = [rows, session.body, manifest, received].map((each) => JSON.stringify(each));
    const marker = new RegExp(`${note}|${Buffer.from(note).toString('hex')}`);
    for (const text of [...texts, Buffer.from(payload).toString('latin1'), logs.text]) expect(text).not.toMatch(marker);
  });
});
