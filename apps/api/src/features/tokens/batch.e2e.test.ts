import {
  type CreatedEnrolmentTokenBatch,
  DAY_MS,
  type EnrolmentTokenResource,
  type EnrolmentTokenSummary,
  type GuestResource,
  type GuestSummary,
  HOUR_MS,
  MAX_TICKETS_AT_ONCE,
} from '@svc/protocol';
import { describe, expect, it } from 'vitest';
import { enrolBody, enrolPerson, inDatabase } from '../../testing/enrolment-fixture.ts';
import { type Answer, createToken } from '../../testing/index.ts';
import { useStage } from '../../testing/use-api.ts';
import { createEvent, createGuestPage, widgetSettings } from '../../testing/widget-fixture.ts';

const { api, clock, customer, stage } = useStage({
  environment: { SVC_WIDGET_URL: 'https://widget.example.org/face' },
  customer: { country: 'DE', plan: 'unlimited' },
});

const pathOf = (eventId = stage.eventId) => `/v1/events/${eventId}/enrolment-tokens`;
const ask = (ticketIds: readonly unknown[], more: object = {}) =>
  customer.request<CreatedEnrolmentTokenBatch>('POST', `${pathOf()}/batch`, { ticketIds, validForHours: 24, ...more });
const summary = async () => (await customer.request<EnrolmentTokenSummary>('GET', `${pathOf()}/summary`)).body;
const tokenIn = (url = '') => url.split('#')[1] ?? '';
const inOrder = (count: number) => Array.from({ length: count }, (_, nth) => `T-${nth}`);

describe('a batch', () => {
  it('makes a link for each ticket, in their order, and each enrols its ticket', async () => {
    const { status, body } = await ask(['ada', 'bob']);
    expect(status).toBe(201);
    expect(body.items.map(({ ticketId }) => ticketId)).toEqual(['ada', 'bob']);
    expect(body.omitted).toEqual([]);
    expect(body.items.map(({ token }) => token)).toEqual(body.items.map(({ url }) => tokenIn(url)));
    const page = createGuestPage(api, tokenIn(body.items[1]?.url));
    expect((await page.enrol()).status).toBe(201);
    const people = await inDatabase(api, 'SELECT person_id FROM people WHERE account_id = $1', [customer.accountId]);
    expect(people).toEqual([{ person_id: 'bob' }]);
  });

  it('names rows that are no ticket or repeated, and makes the others', async () => {
    const { body } = await ask(['ada', '', 'x'.repeat(201), 'bob', 'ada', 'a\u0000b', '\ud800']);
    expect(body.items.map(({ ticketId }) => ticketId)).toEqual(['ada', 'bob']);
    expect(body.omitted).toEqual([
      { index: 1, reason: 'invalid' },
      { index: 2, reason: 'invalid' },
      { index: 4, reason: 'repeated' },
      { index: 5, reason: 'invalid' },
      { index: 6, reason: 'invalid' },
    ]);
  });

  it('sent again adds what is new only, or replaces the links on request', async () => {
    const first = await ask(['ada', 'bob']);
    const again = await ask(['ada', 'new', 'bob']);
    expect(again.body.items.map(({ ticketId }) => ticketId)).toEqual(['new']);
    expect(again.body.omitted).toEqual([
      { index: 0, reason: 'linked' },
      { index: 2, reason: 'linked' },
    ]);
    const replaced = await ask(['ada'], { ifLinked: 'replace' });
    expect(replaced.body.items).toHaveLength(1);
    expect((await createGuestPage(api, tokenIn(first.body.items[0]?.url)).session()).status).toBe(401);
    expect((await createGuestPage(api, tokenIn(first.body.items[1]?.url)).session()).status).toBe(200);
    expect((await createGuestPage(api, tokenIn(replaced.body.items[0]?.url)).session()).status).toBe(200);
  });

  it('asked for twice at the same time makes each link once', async () => {
    const answers = await Promise.all([ask(inOrder(300)), ask(inOrder(300).toReversed())]);
    const made = answers.flatMap(({ body }) => body.items.map(({ ticketId }) => ticketId));
    expect(made.sort()).toEqual(inOrder(300).sort());
  });

  it('may be of thousands of tickets, the longest ones, but not of more than ten thousand', async () => {
    const longest = (nth: number) => `${String(nth).padStart(6, '0')}${'😀'.repeat(194)}`;
    const tickets = Array.from({ length: MAX_TICKETS_AT_ONCE + 1 }, (_, nth) => longest(nth));
    // Not 413: the body of so many is read.
    expect((await ask(tickets)).status).toBe(400);
    expect((await ask(tickets.slice(0, 2_000))).body.items).toHaveLength(2_000);
    expect((await summary()).tokens.valid).toBe(2_000);
  });
});

describe('the summary', () => {
  it('counts tokens by state, tickets once, and days', async () => {
    const { body } = await ask(['enrols', 'declines', 'waits', 'revoked']);
    const [enrols, declines, , revoked] = body.items;
    await createToken(customer, stage.eventId, { ticketId: 'enrols' });
    await customer.request('DELETE', `${pathOf()}/${revoked?.tokenId}`);
    const day = new Date(clock.now()).toISOString().slice(0, 10);
    clock.advance(1);
    expect((await createGuestPage(api, tokenIn(enrols?.url)).enrol()).status).toBe(201);
    expect((await createGuestPage(api, tokenIn(declines?.url)).decline()).status).toBe(204);
    expect(await summary()).toEqual({
      tokens: { valid: 1, used: 2, declined: 1, expired: 0, revoked: 1, exhausted: 0, opened: 1 },
      tickets: { invited: 4, opened: 1, enrolled: 1, declined: 1 },
      days: [{ day, invited: 5, opened: 1, enrolled: 1, declined: 1 }],
    });
    clock.advance(DAY_MS);
    expect((await summary()).tokens).toMatchObject({ valid: 0, expired: 1 });
  });

  it('counts a page as opened once, on the day of its first opening, of which no time is kept', async () => {
    const { body } = await ask(['opens', 'waits']);
    const page = createGuestPage(api, tokenIn(body.items[0]?.url));
    clock.advance(DAY_MS / 2);
    const day = new Date(clock.now()).toISOString().slice(0, 10);
    expect((await Promise.all([page.session(), page.session()])).map(({ status }) => status)).toEqual([200, 200]);
    clock.advance(HOUR_MS * 11);
    await page.session();
    const { tokens, tickets, days } = await summary();
    expect([tokens.opened, tickets.opened]).toEqual([1, 1]);
    expect(days.filter(({ opened }) => opened > 0).map((counted) => [counted.day, counted.opened])).toEqual([[day, 1]]);
    const kind = 'SELECT pg_typeof(opened_on)::text AS kind FROM enrolment_tokens WHERE opened_on IS NOT NULL';
    expect(await inDatabase(api, `${kind} AND account_id = $1`, [customer.accountId])).toEqual([{ kind: 'date' }]);
  });

  it('does not count a page that was refused, or a preview', async () => {
    const { body } = await ask(['revoked']);
    await customer.request('DELETE', `${pathOf()}/${body.items[0]?.tokenId}`);
    expect((await createGuestPage(api, tokenIn(body.items[0]?.url)).session()).status).toBe(401);
    const path = `/v1/events/${stage.eventId}/widget/preview`;
    const preview = await customer.request<{ token: string }>('POST', path, widgetSettings);
    expect((await createGuestPage(api, preview.body.token).session()).status).toBe(200);
    expect((await summary()).tickets.opened).toBe(0);
  });

  it('is zero for an event without a list', async () => {
    const eventId = await createEvent(customer, clock);
    const { status, body } = await customer.request<EnrolmentTokenSummary>('GET', `${pathOf(eventId)}/summary`);
    expect(status).toBe(200);
    expect(body).toMatchObject({ tickets: { invited: 0, opened: 0, enrolled: 0, declined: 0 }, days: [] });
  });
});

/** All pages of a collection, of seven each. */
async function walk<Item>(path: string, query: string): Promise<Item[]> {
  const found: Item[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const address: string = `${path}?limit=7&${query}${cursor === '' ? '' : `&cursor=${cursor}`}`;
    const { status, body }: Answer<{ items: Item[]; nextCursor: string | null }> = await customer.request(
      'GET',
      address,
    );
    expect(status, JSON.stringify(body)).toBe(200);
    found.push(...body.items);
    cursor = body.nextCursor;
  }
  return found;
}

describe('the list of tokens', () => {
  const list = (query: string) => walk<EnrolmentTokenResource>(pathOf(), query);

  it('is filtered by state', async () => {
    const { body } = await ask(inOrder(10));
    await customer.request('DELETE', `${pathOf()}/${body.items[3]?.tokenId}`);
    await createGuestPage(api, tokenIn(body.items[4]?.url)).decline();
    expect((await list('state=revoked')).map(({ tokenId }) => tokenId)).toEqual([body.items[3]?.tokenId]);
    expect((await list('state=declined')).map(({ tokenId }) => tokenId)).toEqual([body.items[4]?.tokenId]);
    expect(await list('state=valid')).toHaveLength(8);
    expect(await list('state=expired')).toEqual([]);
    clock.advance(DAY_MS);
    expect(await list('state=expired')).toHaveLength(8);
    expect((await customer.request('GET', `${pathOf()}?state=lost`)).status).toBe(400);
  });

  it('is searched by the beginning of a ticketId, or for a whole one whatever became of it', async () => {
    const { body } = await ask(['A-1', 'A-12', 'A-123', 'B-1', ...inOrder(300)]);
    const names = async (query: string) => (await list(query)).map(({ ticketId }) => ticketId).toSorted();
    expect(await names('ticketIdPrefix=A-1')).toEqual(['A-1', 'A-12', 'A-123']);
    expect(await names('ticketIdPrefix=T-29')).toHaveLength(11);
    expect(await names('ticketIdPrefix=a-1')).toEqual([]);
    expect((await createGuestPage(api, tokenIn(body.items[1]?.url)).enrol()).status).toBe(201);
    expect(await names('ticketIdPrefix=A-12')).toEqual([null, 'A-123'].toSorted());
    expect(await names('ticketIdPrefix=A-12&state=valid')).toEqual(['A-123']);
  });
});

describe('the guests of a list', () => {
  const pathOfGuests = () => `/v1/lists/${stage.listId}/guests`;
  const guests = (query = '') => walk<GuestResource>(pathOfGuests(), query);
  const tickets = async (query: string) => (await guests(query)).map(({ ticketId }) => ticketId);
  const enrol = (personId: string) => enrolPerson(stage.listId, enrolBody(clock, { personId }), customer);

  /** One guest in each state but the model's and the last day's. */
  async function meet() {
    const { body } = await ask(['waits', 'opens', 'enrols', 'declines', 'revoked', 'leaves', 'renewed']);
    const pages = body.items.map(({ url }) => createGuestPage(api, tokenIn(url)));
    await pages[1]?.session();
    for (const nth of [2, 5]) expect((await pages[nth]?.enrol())?.status).toBe(201);
    for (const nth of [3, 6]) await pages[nth]?.decline();
    await customer.request('DELETE', `${pathOf()}/${body.items[4]?.tokenId}`);
    await customer.request('DELETE', `/v1/lists/${stage.listId}/people/leaves`);
    clock.advance(1);
    await ask(['renewed'], { ifLinked: 'replace' });
    // Enrolled by the organiser: one of them has a link, which stays.
    for (const personId of ['member', 'waits']) await enrol(personId);
  }

  it('are each there once, in the order of their file, with how far they are', async () => {
    await meet();
    const all = await guests();
    const since = new Date(clock.now() - 1).toISOString();
    expect(all.map(({ ticketId, state, ticketForgottenAt: at }) => [ticketId, state, at])).toEqual([
      ['waits', 'enrolled', null],
      ['opens', 'opened', null],
      ['enrols', 'enrolled', null],
      [null, 'declined', since],
      [null, 'revoked', since],
      [null, 'erased', null],
      ['renewed', 'invited', null],
      ['member', 'enrolled', null],
    ]);
    expect(all[0]).toMatchObject({ token: { state: 'valid' }, person: { personId: 'waits' } });
    expect(all[7]).toMatchObject({ token: null, person: { personId: 'member' } });
    clock.advance(DAY_MS);
    await inDatabase(api, 'UPDATE enrolment_tokens SET ticket_id_sealed = NULL WHERE list_id = $1', [stage.listId]);
    const [expired] = await guests('state=expired');
    expect(expired).toMatchObject({ ticketId: null, ticketForgottenAt: expired?.token?.expiresAt });
  });

  it('are counted as they are listed, also those whom a node of an earlier version enrolled', async () => {
    await meet();
    await inDatabase(api, 'UPDATE people SET ticket_ref = NULL WHERE list_id = $1', [stage.listId]);
    const { body } = await customer.request<GuestSummary>('GET', `${pathOfGuests()}/summary`);
    const all = await guests();
    for (const [state, count] of Object.entries(body.states)) {
      expect([state, await guests(`state=${state}`)]).toEqual([state, all.filter((guest) => guest.state === state)]);
      expect([state, all.filter((guest) => guest.state === state).length]).toEqual([state, count]);
    }
    // Opened; enrolled (three), declined, erased, who need not have.
    const counts = { guests: all.length, opened: 6 };
    const day = new Date(clock.now()).toISOString().slice(0, 10);
    expect(body).toMatchObject({ ...counts, days: [{ day, ...counts, enrolled: 3, declined: 1 }] });
  });

  it('are found by any part of the ticket, whatever the case, without wildcards', async () => {
    const { body } = await ask(['AB-1', 'ab%2', 'xAB_3', 'Ö-17', ...inOrder(520)]);
    for (const personId of ['Fab-4', 'f%b', 'ö-18', 'a\\b']) await enrol(personId);
    const found = async (part: string, more = '') => tickets(`ticketIdContains=${encodeURIComponent(part)}${more}`);
    expect(await found('ab')).toEqual(['AB-1', 'ab%2', 'xAB_3', 'Fab-4']);
    expect(await found('%')).toEqual(['ab%2', 'f%b']);
    expect(await found('b_')).toEqual(['xAB_3']);
    expect([await found('\\'), await found('A\\b')]).toEqual([['a\\b'], ['a\\b']]);
    expect(await found('ö-1')).toEqual(['Ö-17', 'ö-18']);
    expect(await found('T-51')).toHaveLength(11);
    expect(await found('ab', '&state=enrolled')).toEqual(['Fab-4']);
    // By the whole ticket also once it is forgotten, and then told by it.
    await customer.request('DELETE', `${pathOf()}/${body.items[0]?.tokenId}`);
    expect([await found('B-1'), await found('AB-1')]).toEqual([[], ['AB-1']]);
    expect((await customer.request('GET', `${pathOfGuests()}?cursor=bHN0X3g`)).status).toBe(400);
  });
});
