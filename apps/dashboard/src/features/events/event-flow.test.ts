import { describe, expect, it } from 'vitest';
import {
  type Command,
  type Draft,
  type EventBody,
  faultsOf,
  type Happening,
  isOpen,
  KEY_LIFE_MS,
  newDraft,
  transition,
} from './event-flow.ts';

const NOW = Date.parse('2026-05-01T08:00:00Z');
const BODY: EventBody = {
  name: 'Summer concert',
  startsAt: '2026-06-20T16:00:00.000Z',
  endsAt: '2026-06-20T21:00:00.000Z',
  timeZone: 'Europe/Berlin',
  country: 'DE',
};
const LIST = { name: 'Summer concert', eventId: 'evt_1', retainDays: 2 };
const ORGANISER = { organiserName: 'Riverside Hall', privacyNoticeUrl: 'https://example.org/privacy' };

const empty = newDraft({
  draftId: 'd1',
  event: { startsAt: '2026-06-20T18:00', endsAt: '2026-06-20T23:00', timeZone: 'Europe/Berlin', country: 'DE' },
  organiserName: 'Riverside Hall',
});

function play(draft: Draft, ...happenings: Happening[]): { readonly draft: Draft; readonly commands: Command[] } {
  const commands: Command[] = [];
  let now = draft;
  for (const happening of happenings) {
    const next = transition(now, happening);
    now = next.state;
    commands.push(...next.effects);
  }
  return { draft: now, commands };
}

const submitted: Happening = { type: 'submitted', nowMs: NOW };
const named: Happening = { type: 'edited', event: { name: ' Summer concert ' } };
const eventSaved: Happening = { type: 'event-saved', eventId: 'evt_1', body: BODY };
const listSaved: Happening = { type: 'list-saved', listId: 'lst_1', body: LIST };
const lost: Happening = { type: 'failed', isRefused: false, code: 'no-connection' };

describe('the way to an event', () => {
  it('creates event, list and organiser once, each by a key of the draft', () => {
    const { draft, commands } = play(
      empty,
      named,
      submitted,
      eventSaved,
      { type: 'edited', list: { retainDays: 2, isCameraOnly: true } },
      submitted,
      listSaved,
      { type: 'edited', organiser: { privacyNoticeUrl: 'https://example.org/privacy' } },
      submitted,
      { type: 'organiser-saved', body: ORGANISER },
    );
    expect(commands).toEqual([
      { call: 'createEvent', body: BODY, key: 'draft-d1-event' },
      { call: 'createList', body: { ...LIST, photoSource: 'camera' }, key: 'draft-d1-list' },
      { call: 'setWidgetSettings', eventId: 'evt_1', body: ORGANISER },
    ]);
    expect(draft).toMatchObject({ step: 'looks', eventId: 'evt_1', listId: 'lst_1', pending: null });
  });

  it('sends nothing that is not valid', () => {
    const { draft, commands } = play(empty, submitted);
    expect([commands, draft.step]).toEqual([[], 'event']);
    expect(faultsOf(draft, NOW)).toEqual({ name: 'required' });
  });

  it('goes on without a call where nothing was changed', () => {
    const { draft, commands } = play(empty, named, submitted, eventSaved, { type: 'went', step: 'event' }, submitted);
    expect([commands.length, draft.step]).toEqual([1, 'list']);
  });

  it('changes what was changed, and that alone, once the event is there', () => {
    const { commands } = play(
      empty,
      ...[named, submitted, eventSaved],
      { type: 'went', step: 'event' },
      { type: 'edited', event: { name: 'Encore', endsAt: '2026-06-20T23:30' } },
      submitted,
    );
    expect(commands.at(-1)).toEqual({
      call: 'updateEvent',
      eventId: 'evt_1',
      body: { name: 'Encore', endsAt: '2026-06-20T21:30:00.000Z' },
    });
  });

  it('keeps the days of a list that is there: they are fixed with it', () => {
    const { draft } = play(empty, named, submitted, eventSaved, submitted, listSaved, {
      type: 'edited',
      list: { retainDays: 30, name: 'Guests' },
    });
    expect(draft.list).toEqual({ retainDays: 2, name: 'Guests', isCameraOnly: false });
  });

  it('opens no step before those before it are saved', () => {
    expect([isOpen(empty, 'event'), isOpen(empty, 'list'), isOpen(empty, 'test')]).toEqual([true, false, false]);
    const { draft } = play(empty, named, submitted, eventSaved, { type: 'went', step: 'looks' });
    expect(draft.step).toBe('list');
  });
});

describe('an answer that is lost', () => {
  const open = () => play(empty, named, submitted, lost);

  it('leaves the creation open, and it is sent again as it was, by the same key', () => {
    const { draft, commands } = open();
    expect(draft.pending).toEqual({ what: 'event', body: BODY, sentAtMs: NOW });
    const again = play(draft, { type: 'resumed', nowMs: NOW + 60_000 });
    expect(again.commands).toEqual(commands);
    expect(play(draft, submitted).commands).toEqual(commands);
  });

  it('keeps what was typed meanwhile, and saves it once the event is known', () => {
    const { draft } = open();
    const { commands } = play(draft, { type: 'edited', event: { name: 'Encore' } }, submitted, eventSaved);
    expect(commands).toEqual([
      { call: 'createEvent', body: BODY, key: 'draft-d1-event' },
      { call: 'updateEvent', eventId: 'evt_1', body: { name: 'Encore' } },
    ]);
  });

  it('does not let the person leave the step meanwhile', () => {
    const { draft } = play(empty, named, submitted, eventSaved, submitted, lost, { type: 'went', step: 'event' });
    expect(draft).toMatchObject({ step: 'list', pending: { what: 'list' } });
  });

  it('is looked for when its key is forgotten, and made by a new key if it never was', () => {
    const { draft } = open();
    const later = NOW + KEY_LIFE_MS;
    const search = play(draft, { type: 'resumed', nowMs: later });
    expect(search.commands).toEqual([{ call: 'findEvent', body: BODY, sinceMs: NOW - 600_000 }]);
    expect(play(search.draft, eventSaved).draft).toMatchObject({ step: 'list', eventId: 'evt_1' });
    const { commands } = play(search.draft, { type: 'not-found', nowMs: later });
    expect(commands).toEqual([{ call: 'createEvent', body: BODY, key: 'draft-d1-2-event' }]);
  });

  it('of a list that is there by now is found by its event', () => {
    const { draft } = play(empty, named, submitted, eventSaved, submitted);
    const refused = play(draft, { type: 'failed', isRefused: true, code: 'event-has-list' });
    expect(refused.commands).toEqual([{ call: 'findList', eventId: 'evt_1' }]);
    expect(play(refused.draft, listSaved).draft).toMatchObject({ listId: 'lst_1', step: 'organiser' });
  });

  it('of another tab’s event is found, too', () => {
    const { draft } = play(empty, named, submitted);
    expect(play(draft, { type: 'failed', isRefused: true, code: 'idempotency-key-reused' }).commands).toEqual([
      { call: 'findEvent', body: BODY, sinceMs: 0 },
    ]);
  });
});

describe('a draft that is taken up again', () => {
  const atLooks = play(
    empty,
    ...[named, submitted, eventSaved, submitted, listSaved, submitted],
    { type: 'edited', organiser: ORGANISER },
    submitted,
    { type: 'organiser-saved', body: ORGANISER },
  ).draft;
  const looked = (listId: string | null, hasOrganiser: boolean) =>
    transition(atLooks, { type: 'looked', event: { listId, hasOrganiser }, since: atLooks.saved }).state;

  it('is as it was while the service has what it had', () => {
    expect(atLooks.step).toBe('looks');
    expect(looked('lst_1', true)).toEqual(atLooks);
  });

  it('goes back to the step that is open again', () => {
    expect(looked(null, true)).toMatchObject({ step: 'list', listId: null, saved: { list: null } });
    expect(looked('lst_1', false)).toMatchObject({ step: 'organiser', listId: 'lst_1' });
  });

  it('is not taken back by an answer from before its list was saved', () => {
    const before = play(empty, named, submitted, eventSaved).draft;
    const { draft } = play(before, submitted, listSaved);
    expect(draft.step).toBe('organiser');
    const late = { type: 'looked', event: { listId: null, hasOrganiser: false }, since: before.saved } as const;
    expect(transition(draft, late).state).toEqual(draft);
  });
});

describe('a refusal', () => {
  it('leaves nothing open: the fields are judged anew', () => {
    const { draft } = play(empty, named, submitted, { type: 'failed', isRefused: true, code: 'invalid-request' });
    expect(draft).toMatchObject({ pending: null, step: 'event', eventId: null });
    const { commands } = play(draft, { type: 'edited', event: { name: 'Other' } }, submitted);
    expect(commands).toMatchObject([{ call: 'createEvent', body: { name: 'Other' }, key: 'draft-d1-event' }]);
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
