import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { api } from '../../api/client.ts';
import { ApiError } from '../../api/errors.ts';
import { type Draft, faultsOf, forgetOld, isOpen, KEY_LIFE_MS, lookUp, newDraft, saveStep } from './event-flow.ts';

const NOW = Date.parse('2026-05-01T08:00:00Z');
const BODY = {
  name: 'Summer concert',
  startsAt: '2026-06-20T16:00:00.000Z',
  endsAt: '2026-06-20T21:00:00.000Z',
  timeZone: 'Europe/Berlin',
  country: 'DE',
};
const LIST = { name: 'Summer concert', eventId: 'evt_1', retainDays: 2 };
const ORGANISER = { organiserName: 'Riverside Hall', privacyNoticeUrl: 'https://example.org/privacy' };
const EVENT = { params: { eventId: 'evt_1' } };

const empty = newDraft({
  draftId: 'd1',
  event: { startsAt: '2026-06-20T18:00', endsAt: '2026-06-20T23:00', timeZone: 'Europe/Berlin', country: 'DE' },
  organiserName: 'Riverside Hall',
});
const named: Draft = { ...empty, event: { ...empty.event, name: ' Summer concert ' } };
const withEvent: Draft = { ...named, step: 'list', eventId: 'evt_1', saved: { ...named.saved, event: BODY } };
const withList: Draft = { ...withEvent, listId: 'lst_1', step: 'organiser', saved: { ...withEvent.saved, list: LIST } };

function open(from: Draft) {
  let draft = from;
  const set = (changes: Partial<Draft>) => {
    draft = { ...draft, ...changes };
  };
  return { get: () => draft, set };
}

/** Calls in their order, and what the next ones of a name come to. */
let sent: (readonly [id: string, input: object])[];
let answers: Record<string, (object | Error)[]>;
const made = {
  createEvent: { eventId: 'evt_1' },
  createList: { listId: 'lst_1' },
} as Readonly<Record<string, object>>;

beforeEach(() => {
  sent = [];
  answers = {};
  vi.useFakeTimers({ now: NOW });
  vi.spyOn(api, 'call').mockImplementation((async (id: string, input: object) => {
    sent.push([id, input]);
    const answer = answers[id]?.shift() ?? made[id] ?? {};
    if (answer instanceof Error) throw answer;
    return answer;
  }) as never);
});

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const lost = new ApiError('no-connection', { status: 0 });
const refusal = (code: 'invalid-request' | 'event-has-list') => new ApiError(code, { status: 409 });
const creation = ['createEvent', { body: BODY, idempotencyKey: 'draft-d1-event' }];

describe('the way to an event', () => {
  it('creates event, list and organiser once, each by a key of the draft', async () => {
    const store = open(named);
    await saveStep(store);
    store.set({ list: { name: '', retainDays: 2, isCameraOnly: true, attendance: 'unattended' } });
    await saveStep(store);
    const policies = { photoSource: 'camera', attendance: 'unattended' };
    store.set({ organiser: ORGANISER });
    await saveStep(store);
    expect(sent).toEqual([
      creation,
      ['createList', { body: { ...LIST, ...policies }, idempotencyKey: 'draft-d1-list' }],
      ['setWidgetSettings', { ...EVENT, body: ORGANISER }],
    ]);
    expect(store.get()).toMatchObject({ step: 'looks', eventId: 'evt_1', listId: 'lst_1', pending: null });
  });

  it('goes on without a call where nothing was changed', async () => {
    const store = open({ ...withEvent, step: 'event' });
    await saveStep(store);
    expect([sent, store.get().step]).toEqual([[], 'list']);
  });

  it('changes what was changed, and that alone, once it is there', async () => {
    const event = { ...named.event, name: 'Encore', endsAt: '2026-06-20T23:30', place: ' Pier 2 ' };
    const store = open({ ...withEvent, step: 'event', event });
    await saveStep(store);
    store.set({ step: 'event', event: { ...event, place: ' ', country: '' } });
    await saveStep(store);
    await saveStep(open({ ...withList, step: 'list', list: { ...withList.list, name: 'Guests' } }));
    expect(sent).toEqual([
      ['updateEvent', { ...EVENT, body: { place: 'Pier 2', name: 'Encore', endsAt: '2026-06-20T21:30:00.000Z' } }],
      ['updateEvent', { ...EVENT, body: { place: null, country: null } }],
      ['updateList', { params: { listId: 'lst_1' }, body: { name: 'Guests' } }],
    ]);
  });

  it.each([
    ['an event', { ...empty, event: { ...empty.event, endsAt: '' }, step: 'list' as const }, 'event'],
    ['a list', { ...withEvent, saved: { ...withEvent.saved, list: LIST }, step: 'looks' as const }, 'list'],
  ])('goes back where %s is missing', async (_what, draft, step) => {
    const store = open(draft);
    await saveStep(store);
    expect([sent, store.get().step]).toEqual([[], step]);
  });

  it('stays at a step that was chosen while another was saved', async () => {
    const store = open({ ...withList, step: 'event', event: { ...named.event, name: 'Encore' } });
    const saving = saveStep(store);
    store.set({ step: 'organiser' });
    await saving;
    expect(store.get().step).toBe('organiser');
  });

  it('opens no step before those before it are saved', () => {
    expect([isOpen(empty, 'event'), isOpen(empty, 'list'), isOpen(empty, 'test')]).toEqual([true, false, false]);
    expect([isOpen(withEvent, 'list'), isOpen(withEvent, 'looks')]).toEqual([true, false]);
  });
});

it('an event keeps its doors for a day after its planned end, unless its organiser chooses otherwise', async () => {
  const store = open(withEvent);
  await saveStep(store);
  expect(sent).toMatchObject([['createList', { body: { eventId: 'evt_1', retainDays: 1 } }]]);
});

describe('an answer that is lost', () => {
  it('leaves the creation open: it is sent again as it was, and then what was typed meanwhile', async () => {
    answers = { createEvent: [lost] };
    const store = open(named);
    await expect(saveStep(store)).rejects.toBe(lost);
    expect(store.get()).toMatchObject({ step: 'event', pending: { what: 'event', body: BODY, sentAtMs: NOW } });
    store.set({ event: { ...named.event, name: 'Encore' } });
    await saveStep(store);
    expect(sent).toEqual([creation, creation, ['updateEvent', { ...EVENT, body: { name: 'Encore' } }]]);
    expect(store.get()).toMatchObject({ step: 'list', pending: null });
  });

  it('is found out also where a time was cleared meanwhile, which is then asked for', async () => {
    answers = { createEvent: [lost] };
    const store = open(named);
    await expect(saveStep(store)).rejects.toBe(lost);
    store.set({ event: { ...named.event, endsAt: '' } });
    await saveStep(store);
    expect(sent).toEqual([creation, creation]);
    expect(store.get()).toMatchObject({ step: 'event', eventId: 'evt_1', pending: null });
  });

  it('is not found out when its key is forgotten: what was typed is kept, and sent by another', async () => {
    const store = open({ ...named, pending: { what: 'event', body: BODY, sentAtMs: NOW } });
    vi.setSystemTime(NOW + KEY_LIFE_MS - 1);
    expect([forgetOld(open(named)), forgetOld(store)]).toEqual([false, false]);
    vi.setSystemTime(NOW + KEY_LIFE_MS);
    expect(forgetOld(store)).toBe(true);
    expect(store.get()).toMatchObject({ event: named.event, pending: null });
    await saveStep(store);
    expect(sent).toEqual([['createEvent', { body: BODY, idempotencyKey: expect.not.stringContaining('draft-d1-') }]]);
  });

  it('of a list that is there by now is found by its event', async () => {
    answers = {
      createList: [refusal('event-has-list')],
      getEvent: [{ listId: 'lst_1', widget: null }],
      getList: [{ ...LIST, photoSource: 'any' }],
    };
    const store = open(withEvent);
    await saveStep(store);
    expect(store.get()).toMatchObject({ listId: 'lst_1', step: 'organiser', list: { retainDays: 2 } });
  });
});

it('a refusal leaves nothing open', async () => {
  answers = { createEvent: [refusal('invalid-request')] };
  const store = open(named);
  await expect(saveStep(store)).rejects.toThrow();
  expect(store.get()).toMatchObject({ pending: null, step: 'event', eventId: null });
});

describe('a draft that is taken up again', () => {
  const atLooks: Draft = { ...withList, step: 'looks', saved: { ...withList.saved, organiser: ORGANISER } };
  const list = { ...LIST, photoSource: 'any' };

  it.each([
    ['is as it was while the service has what it had', 'lst_1', ORGANISER, { step: 'looks', saved: atLooks.saved }],
    ['goes back to its list', null, ORGANISER, { step: 'list', listId: null, saved: { list: null } }],
    ['goes back to its organiser', 'lst_1', null, { step: 'organiser', listId: 'lst_1' }],
  ])('%s', async (_what, listId, widget, expected) => {
    answers = { getEvent: [{ listId, widget }], getList: [list] };
    const store = open(atLooks);
    await lookUp(store);
    expect(store.get()).toMatchObject(expected);
  });

  it('is not taken back by an answer from before its list was saved', async () => {
    answers = { getEvent: [{ listId: null, widget: null }] };
    const store = open(withEvent);
    const looking = lookUp(store);
    store.set(withList);
    await looking;
    expect(store.get()).toEqual(withList);
  });

  it('keeps open the creation of a list that was sent meanwhile', async () => {
    answers = { getEvent: [{ listId: null, widget: null }] };
    const store = open(withEvent);
    const looking = lookUp(store);
    store.set({ pending: { what: 'list', body: LIST, sentAtMs: NOW } });
    await looking;
    expect(store.get().pending).toMatchObject({ what: 'list', body: LIST });
  });
});

describe('faults', () => {
  const faults = (event: Partial<Draft['event']>) =>
    faultsOf({ ...empty, event: { ...empty.event, name: 'x', ...event } }, NOW);
  it.each([
    [{ name: ' ' }, { name: 'required' }],
    [{ name: 'x'.repeat(201) }, { name: 'too-long' }],
    [{ startsAt: '' }, { startsAt: 'not-a-time' }],
    [{ endsAt: '2026-06-20T18:00' }, { endsAt: 'before-start' }],
    [{ startsAt: '2026-04-01T18:00', endsAt: '2026-04-01T19:00' }, { endsAt: 'in-the-past' }],
    [{}, {}],
  ])('%j: %j', (event, expected) => {
    expect(faults(event)).toEqual(expected);
  });

  it.each([
    ['https://example.org/privacy', undefined],
    ['http://example.org', 'not-https'],
    ['javascript:alert(1)', 'not-https'],
    ['https://user@example.org', 'not-https'],
    ['', 'required'],
  ])('privacy notice at %j: %s', (privacyNoticeUrl, fault) => {
    const draft: Draft = { ...empty, step: 'organiser', organiser: { ...ORGANISER, privacyNoticeUrl } };
    expect(faultsOf(draft, NOW).privacyNoticeUrl).toBe(fault);
  });

  it.each([-1, 31, 1.5])('%d days are not to be had', (retainDays) => {
    const draft: Draft = { ...empty, step: 'list', list: { ...empty.list, retainDays } };
    expect(faultsOf(draft, NOW)).toEqual({ retainDays: 'range' });
  });
});
