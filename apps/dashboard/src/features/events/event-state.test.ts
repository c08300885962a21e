import type { DeviceState, EventResource } from '@svc/protocol';
import { expect, it } from 'vitest';
import { doorLooks, troubledDoors } from '../doors/door-alert.tsx';
import { attentionOf, inOrder } from './event-state.tsx';

const NOW = Date.parse('2026-06-01T00:00:00Z');
const event = (over: Partial<EventResource> = {}): EventResource => ({
  ...{ eventId: 'evt_1', name: 'Fair', startsAt: '2026-06-05T18:00:00.000Z', endsAt: '2026-06-05T23:00:00.000Z' },
  ...{
    timeZone: null,
    place: null,
    state: 'upcoming',
    country: null,
    listId: 'lst_1',
    listState: 'open',
    counts: { people: 4, devices: 1 },
  },
  ...{
    widget: { organiserName: 'Hall', privacyNoticeUrl: 'https://example.org' },
    createdAt: '2026-05-01T00:00:00.000Z',
  },
  ...over,
});
const bare = { widget: null, counts: { people: 0, devices: 0 } };

it.each([
  ['nothing', {}, []],
  ['its list', { listId: null, counts: null }, ['no-list']],
  ['everything, and it is near', bare, ['no-organiser', 'no-door', 'nobody']],
  ['everything, and it is far off', { ...bare, startsAt: '2026-08-05T18:00:00.000Z' }, ['no-organiser']],
  [
    'everything, and it is running',
    { ...bare, state: 'running', startsAt: '2026-05-30T18:00:00.000Z' },
    ['no-organiser', 'no-door', 'nobody'],
  ],
  ['everything, and takes nobody any more', { ...bare, listState: 'ended' }, ['no-door']],
  ['everything, and it is over', { ...bare, state: 'over' }, []],
] as const)('an event that lacks %s', (_name, over, expected) => {
  expect(attentionOf(event(over as Partial<EventResource>), null, NOW)).toEqual(expected);
});

it('the first page tells of the doors that the event’s own page tells of', () => {
  for (const state of Object.keys(doorLooks) as DeviceState[]) {
    for (const phase of ['upcoming', 'running', 'over'] as const) {
      const doors = [{ state: 'fresh' as const }, { state }];
      const isTold = attentionOf(event({ state: phase }), doors, NOW).includes('doors');
      expect([phase, state, isTold]).toEqual([phase, state, troubledDoors(phase, doors).length > 0]);
    }
  }
  const unpaired = [{ state: 'never-synced' as const }];
  expect(attentionOf(event({ state: 'running' }), unpaired, NOW)).toEqual(['doors']);
  expect(attentionOf(event(), unpaired, NOW)).toEqual(['no-door']);
});

it('events come by their start, those that are over the latest first', () => {
  const [first, second] = [event({ eventId: 'a' }), event({ eventId: 'b', startsAt: '2026-06-06T18:00:00.000Z' })];
  expect(inOrder([second, first]).map(({ eventId }) => eventId)).toEqual(['a', 'b']);
  const over = [first, second].map((each) => ({ ...each, state: 'over' as const }));
  over[1] = { ...second, state: 'over', endsAt: '2026-06-07T00:00:00.000Z' };
  expect(inOrder(over).map(({ eventId }) => eventId)).toEqual(['b', 'a']);
});
