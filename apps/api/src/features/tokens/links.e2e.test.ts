import { type CreatedEnrolmentLinks, DAY_MS, HOUR_MS } from '@svc/protocol';
import { describe, expect, it } from 'vitest';
import { createList, enrolBody, enrolPerson, inDatabase } from '../../testing/enrolment-fixture.ts';
import { createToken } from '../../testing/index.ts';
import { testEngines, testModels } from '../../testing/test-api.ts';
import { useStage } from '../../testing/use-api.ts';
import { createGuestPage } from '../../testing/widget-fixture.ts';

const { api, clock, customer, stage } = useStage({
  environment: { SVC_WIDGET_URL: 'https://widget.example.org/face' },
  customer: { country: 'DE', plan: 'unlimited' },
  engines: testEngines(),
});

const { base, addOn } = testModels;

const linksOf = (listId: string) => `/v1/lists/${listId}/enrolment-links`;
const ask = (request: object = {}, listId = stage.listId, owner = customer) =>
  owner.request<CreatedEnrolmentLinks & { code?: string }>('POST', linksOf(listId), { validForHours: 24, ...request });
const refusal = async (listId = stage.listId, owner = customer) => {
  const { status, body } = await ask({}, listId, owner);
  return [status, body.code];
};
const changeModel = (modelId: string = addOn.modelId) =>
  customer.request('POST', `/v1/lists/${stage.listId}/change-model`, { modelId });
const namesOf = ({ items }: CreatedEnrolmentLinks) => items.map(({ personId }) => personId);
const tokenIn = (url: string) => url.split('#')[1] ?? '';

async function enrol(...people: string[]): Promise<void> {
  for (const personId of people) {
    clock.advance(1);
    expect((await enrolPerson(stage.listId, enrolBody(clock, { personId }), customer)).status).toBe(201);
  }
}

describe('links to enrol again by', () => {
  it('are for people of an older model, each once, and enrol them by the new one', async () => {
    await enrol('ada', 'bob');
    expect((await ask()).body).toEqual({ items: [], remaining: 0 });
    await changeModel();
    await enrol('new');
    const { status, body } = await ask();
    expect([status, namesOf(body), body.remaining]).toEqual([201, ['ada', 'bob'], 0]);
    const [ada] = body.items;
    expect(ada).toEqual({
      personId: 'ada',
      tokenId: expect.stringMatching(/^tok_/),
      token: expect.stringMatching(/^svce_[0-9A-Za-z]{49}$/),
      url: `https://widget.example.org/face#${ada?.token}`,
      expiresAt: new Date(clock.now() + DAY_MS).toISOString(),
    });
    expect((await ask()).body).toEqual({ items: [], remaining: 0 });
    expect((await createGuestPage(api, tokenIn(ada?.url ?? '')).enrol()).status).toBe(201);
    const people = `/v1/lists/${stage.listId}/people?modelId=`;
    const names = async (modelId: string) =>
      (await customer.request<CreatedEnrolmentLinks>('GET', `${people}${modelId}`)).body.items.map((p) => p.personId);
    expect([await names(base.modelId), await names(addOn.modelId)]).toEqual([['bob'], ['ada', 'new']]);
    const path = `/v1/events/${stage.eventId}/enrolment-tokens/${body.items[1]?.tokenId}`;
    expect((await customer.request('GET', path)).body).toMatchObject({
      ticketId: 'bob',
      state: 'valid',
      guestLink: true,
    });
  });

  it('are made again for people whose link expired, but not for deleted people', async () => {
    await enrol('ada', 'bob', 'cem', 'dora', 'eve');
    await changeModel();
    const { items } = (await ask()).body;
    const link = (personId: string) => items.find((item) => item.personId === personId);
    const path = `/v1/events/${stage.eventId}/enrolment-tokens/${link('ada')?.tokenId}`;
    expect((await customer.request('DELETE', path)).status).toBe(204);
    expect((await createGuestPage(api, tokenIn(link('bob')?.url ?? '')).enrol()).status).toBe(201);
    await customer.request('DELETE', `/v1/lists/${stage.listId}/people/cem`);
    expect(namesOf((await ask()).body)).toEqual(['ada']);
    clock.advance(25 * HOUR_MS);
    expect(namesOf((await ask()).body)).toEqual(['ada', 'dora', 'eve']);
  });

  it('skip people with another guest link, but not those with a token for a page', async () => {
    await enrol('ada', 'bob');
    await changeModel();
    await createToken(customer, stage.eventId, { ticketId: 'ada', validForHours: 5 });
    await createToken(customer, stage.eventId, { ticketId: 'bob' });
    expect(namesOf((await ask()).body)).toEqual(['bob']);
  });

  it('are for people of one model where it is named', async () => {
    await enrol('ada');
    await changeModel();
    await enrol('bob');
    expect(namesOf((await ask({ modelId: addOn.modelId })).body)).toEqual(['bob']);
    expect(namesOf((await ask({ modelId: base.modelId })).body)).toEqual(['ada']);
    expect((await ask({ modelId: 'mdl_01jwnafy00e2rbg3vfk4s6q9tz' })).body.items).toEqual([]);
  });

  it('are 100 a request, and asking again walks through all', async () => {
    await enrol(...Array.from({ length: 105 }, (_, i) => `p-${String(i).padStart(3, '0')}`));
    await changeModel();
    const seen: string[] = [];
    for (const left of [5, 0, 0]) {
      const { body } = await ask();
      expect(body.remaining).toBe(left);
      seen.push(...namesOf(body));
    }
    expect(seen).toEqual([...new Set(seen)].sort());
    expect(seen).toHaveLength(105);
    const audit = await customer.request<{ items: { action: string; target: string }[] }>('GET', '/v1/audit-log');
    const acts = audit.body.items.filter(({ action }) => action === 'enrolment-links.create');
    expect(acts.map(({ target }) => target)).toEqual([stage.listId, stage.listId]);
  });

  it('are made once per person in concurrent requests', async () => {
    await enrol('ada', 'bob', 'cem');
    await changeModel();
    const answers = await Promise.all([ask(), ask(), ask()]);
    expect(answers.flatMap(({ body }) => namesOf(body)).sort()).toEqual(['ada', 'bob', 'cem']);
    const rows = await inDatabase(api, 'SELECT 1 FROM enrolment_tokens WHERE list_id = $1', [stage.listId]);
    expect(rows).toHaveLength(3);
  });

  it('are refused for a list that accepts no enrolment', async () => {
    const stranger = await api.customer({ country: 'DE' });
    expect(await refusal(stage.listId, stranger)).toEqual([404, 'not-found']);
    expect(await refusal(await createList(customer))).toEqual([409, 'list-without-event']);
    await customer.request('POST', `/v1/lists/${stage.listId}/close-enrollment`);
    expect(await refusal()).toEqual([409, 'enrolment-closed']);
    await customer.request('POST', `/v1/lists/${stage.listId}/end`);
    expect(await refusal()).toEqual([409, 'list-ended']);
    const unset = 'UPDATE events SET organiser_name = NULL, privacy_notice_url = NULL WHERE event_id = $1';
    await inDatabase(api, unset, [stage.eventId]);
    expect(await refusal()).toEqual([409, 'widget-settings-missing']);
  });
});
