import { DAY_MS, HOUR_MS, SECRET_CHARS } from '@svc/protocol';
import { describe, expect, it } from 'vitest';
import { createList, enrolBody, enrolPerson, inDatabase } from '../../testing/enrolment-fixture.ts';
import type { TestCustomer } from '../../testing/index.ts';
import { useStage } from '../../testing/use-api.ts';
import {
  createEvent,
  createGuestPage,
  createStage,
  createToken,
  type MadeToken,
  widgetSettings,
} from '../../testing/widget-fixture.ts';
import { createTokenStore } from './store.ts';

const { api, clock, customer, database, stage } = useStage({
  environment: { SVC_WIDGET_URL: 'https://widget.example.org/face' },
});

const tokensOf = (eventId: string) => `/v1/events/${eventId}/enrolment-tokens`;
const ask = (request: unknown, eventId = stage.eventId, owner = customer) =>
  owner.request<MadeToken & { code?: string }>('POST', tokensOf(eventId), request);
const refusal = async (request: unknown, eventId?: string, owner?: TestCustomer) => {
  const { status, body } = await ask(request, eventId, owner);
  return [status, body.code];
};
const inHours = (hours: number) => new Date(clock.now() + hours * HOUR_MS).toISOString();

describe('creating a token', () => {
  it('for a page: 30 minutes, shown once, without a link', async () => {
    const answer = await ask({ ticketId: 'T-1' });
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({
      tokenId: expect.stringMatching(/^tok_[0-9a-z]{26}$/),
      token: expect.stringMatching(/^svce_[0-9A-Za-z]{49}$/),
      ticketId: 'T-1',
      expiresAt: inHours(0.5),
    });
    expect(answer.body.token).toHaveLength(SECRET_CHARS);
    const path = `${tokensOf(stage.eventId)}/${answer.body.tokenId}`;
    expect(answer.headers.get('location')).toBe(path);
    const { token: _token, ...told } = answer.body;
    const made = { ...told, state: 'valid', attemptsLeft: 5, guestLink: false, createdAt: inHours(0) };
    expect((await customer.request('GET', path)).body).toEqual(made);
  });

  it('as a guest link: the token is in the fragment, which no server is sent', async () => {
    const { body } = await ask({ ticketId: 'T-1', validForHours: 48 });
    const url = `https://widget.example.org/face#${body.token}`;
    expect(body).toMatchObject({ url, expiresAt: inHours(48) });
    expect((await createGuestPage(api, body.token).session()).status).toBe(200);
  });

  it('never past the event’s end', async () => {
    expect((await ask({ ticketId: 'T-1', validForHours: 336 })).body.expiresAt).toBe(inHours(72));
    clock.advance(72 * HOUR_MS - 60_000);
    expect((await ask({ ticketId: 'T-1' })).body.expiresAt).toBe(new Date(clock.now() + 60_000).toISOString());
  });

  it('nor does a guest enrol after it; the organiser’s server does until the list’s deadline', async () => {
    const { eventId, listId } = await createStage(customer, clock, 1, { retainDays: 1 });
    const { token } = await createToken(customer, eventId, { validForHours: 336 });
    const server = async () => {
      const { status, body } = await enrolPerson(listId, enrolBody(clock), customer);
      return [status, body.code];
    };
    clock.advance(HOUR_MS);
    expect((await createGuestPage(api, token).session()).body).toMatchObject({ code: 'token-expired' });
    expect(await server()).toEqual([201, undefined]);
    clock.advance(DAY_MS);
    expect(await server()).toEqual([409, 'list-ended']);
  });

  it('409 until there are settings and a list, in this order', async () => {
    const eventId = await createEvent(customer, clock);
    expect(await refusal({ ticketId: 'T-1' }, eventId)).toEqual([409, 'widget-settings-missing']);
    await customer.request('POST', `/v1/events/${eventId}/widget`, widgetSettings);
    expect(await refusal({ ticketId: 'T-1' }, eventId)).toEqual([409, 'event-without-list']);
    const listId = await createList(customer, { name: 'x', eventId, retainDays: 1 });
    expect((await ask({ ticketId: 'T-1' }, eventId)).status).toBe(201);
    clock.advance(72 * HOUR_MS);
    expect(await refusal({ ticketId: 'T-1' }, eventId)).toEqual([409, 'event-ended']);
    clock.advance(DAY_MS);
    expect(await refusal({ ticketId: 'T-1' }, eventId)).toEqual([409, 'list-ended']);
    await customer.request('DELETE', `/v1/lists/${listId}`);
    expect(await refusal({ ticketId: 'T-1' }, eventId)).toEqual([409, 'event-without-list']);
  });

  it('no link is made after a close has answered', async () => {
    const asked = Promise.all(Array.from({ length: 40 }, (_, i) => ask({ ticketId: `T-${i}` })));
    const closed = await customer.request('POST', `/v1/lists/${stage.listId}/close-enrollment`);
    expect(closed.status).toBe(200);
    const made = (await asked).filter(({ status }) => status === 201).length;
    const { body } = await customer.request<{ items: object[] }>('GET', tokensOf(stage.eventId));
    expect(body.items).toHaveLength(made);
    expect(await refusal({ ticketId: 'late' })).toEqual([409, 'enrolment-closed']);
  });
});

describe('the tokens of an event', () => {
  it('are listed newest first, a page at a time, without their secrets', async () => {
    const made: MadeToken[] = [];
    for (const ticketId of ['a', 'b', 'c']) {
      clock.advance(1);
      made.push(await createToken(customer, stage.eventId, { ticketId }));
    }
    interface Tokens {
      items: { ticketId: string }[];
      nextCursor: string | null;
    }
    const first = await customer.request<Tokens>('GET', `${tokensOf(stage.eventId)}?limit=2`);
    expect(first.body.items.map((token) => token.ticketId)).toEqual(['c', 'b']);
    const next = await customer.request<Tokens>('GET', `${tokensOf(stage.eventId)}?cursor=${first.body.nextCursor}`);
    expect(next.body).toMatchObject({ items: [{ ticketId: 'a' }], nextCursor: null });
    expect(JSON.stringify([first.body, next.body])).not.toContain('svce_');
    const foreign = await customer.request('GET', `${tokensOf(stage.eventId)}?cursor=bHN0X3g`);
    expect([foreign.status, foreign.body.code]).toEqual([400, 'invalid-request']);
  });

  it('are deleted with their list: a new list of the same event has none of them', async () => {
    const { token } = await createToken(customer, stage.eventId);
    await customer.request('DELETE', `/v1/lists/${stage.listId}`);
    await createList(customer, { name: 'again', eventId: stage.eventId });
    expect((await customer.request('GET', tokensOf(stage.eventId))).body).toEqual({ items: [], nextCursor: null });
    expect((await createGuestPage(api, token).session()).body).toMatchObject({ code: 'invalid-credential' });
  });
});

describe('revoking a token', () => {
  it('ends it at once; a second time changes nothing, and what was used stays used', async () => {
    const open = await createToken(customer, stage.eventId);
    clock.advance(1);
    const used = await createToken(customer, stage.eventId, { ticketId: 'ticket-2' });
    await createGuestPage(api, used.token).enrol();
    for (const { tokenId } of [open, open, used]) {
      expect((await customer.request('DELETE', `${tokensOf(stage.eventId)}/${tokenId}`)).status).toBe(204);
    }
    expect((await createGuestPage(api, open.token).session()).body).toMatchObject({ code: 'invalid-credential' });
    const { body } = await customer.request<{ items: object[] }>('GET', tokensOf(stage.eventId));
    expect(body.items).toMatchObject([
      { tokenId: used.tokenId, state: 'used', ticketId: null },
      { tokenId: open.tokenId, state: 'revoked', ticketId: null },
    ]);
  });
});

describe('tokens whose time is over', () => {
  it('lose their ticketId, and are forgotten later on', async () => {
    const store = createTokenStore(database.connection);
    const now = () => new Date(clock.now());
    const [short, long] = [
      await createToken(customer, stage.eventId, { ticketId: 'short' }),
      await createToken(customer, stage.eventId, { ticketId: 'long', validForHours: 24 }),
    ];
    const read = (tokenId: string) => customer.request('GET', `${tokensOf(stage.eventId)}/${tokenId}`);
    clock.advance(HOUR_MS);
    await store.forgetTickets(now(), new Date(0));
    expect((await read(short.tokenId)).body).toMatchObject({ state: 'expired', ticketId: null });
    expect((await read(long.tokenId)).body).toMatchObject({ state: 'valid', ticketId: 'long' });
    await store.removeExpired(now());
    expect((await read(short.tokenId)).status).toBe(404);
    expect((await read(long.tokenId)).status).toBe(200);
  });

  it('lose their ticketId too when a node died with their last photo, once that must be over', async () => {
    const store = createTokenStore(database.connection);
    const { tokenId } = await createToken(customer, stage.eventId, { ticketId: 'long', validForHours: 24 });
    const read = async () => (await customer.request('GET', `${tokensOf(stage.eventId)}/${tokenId}`)).body;
    const until = new Date(clock.now() + 90_000);
    const died = 'attempts = 5, examination = gen_random_uuid(), examination_until = $1';
    await inDatabase(api, `UPDATE enrolment_tokens SET ${died} WHERE token_id = $2`, [until, tokenId]);
    await store.forgetTickets(new Date(until.getTime() - 1), new Date(0));
    expect(await read()).toMatchObject({ state: 'valid', ticketId: 'long' });
    clock.advance(90_000);
    await store.forgetTickets(until, new Date(0));
    expect(await read()).toMatchObject({ state: 'exhausted', ticketId: null });
  });

  it('lose it when they were declined, once that cannot be undone any more', async () => {
    const store = createTokenStore(database.connection);
    const { token, tokenId } = await createToken(customer, stage.eventId, { ticketId: 'long', validForHours: 24 });
    await createGuestPage(api, token).decline('page');
    const declinedAt = clock.now();
    const kept = 'SELECT 1 FROM enrolment_tokens WHERE token_id = $1 AND ticket_id_sealed IS NOT NULL';
    await store.forgetTickets(new Date(declinedAt), new Date(declinedAt - 1));
    expect(await inDatabase(api, kept, [tokenId])).toHaveLength(1);
    await store.forgetTickets(new Date(declinedAt), new Date(declinedAt));
    expect(await inDatabase(api, kept, [tokenId])).toEqual([]);
  });
});
