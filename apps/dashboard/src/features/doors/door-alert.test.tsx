import type { DeviceState } from '@svc/protocol';
import { describe, expect, it } from 'vitest';
import { format, say, speak } from '../../text/index.ts';
import { byAdvice, doorLooks, helpOf, isGrave, nameOf, servesUnattended, troubledDoors } from './door-alert.tsx';

const states = Object.keys(doorLooks) as DeviceState[];
const door = (state: DeviceState, name: string = state) => ({ state, name, id: 'dev_01jwnafy00e2rbg3vfk4s6q9tz' });

describe.each(['en', 'de'])('the words of a door in %s', (language) => {
  const leaseEndsAt = '2026-06-21T17:58:00.000Z';

  it('say what each state is and what to do, each in its own', async () => {
    await speak(language);
    for (const state of states) expect(say(`doors.state.${state}`).length).toBeLessThan(22);
    expect(new Set(states.map((state) => helpOf({ state, leaseEndsAt }))).size).toBe(states.length);
  });

  it.each(['due', 'lease-running-out', 'revoked', 'unsuited'] as const)(
    'tell until when one works that is %s',
    async (state) => {
      await speak(language);
      expect(helpOf({ state, leaseEndsAt })).toContain(format.dateTime(leaseEndsAt));
      expect(helpOf({ state, leaseEndsAt: null })).not.toContain('null');
      if (state === 'unsuited') expect(helpOf({ state, leaseEndsAt: null })).not.toContain('–');
    },
  );
});

it('only a door that works as it should is green, and no two states look the same', () => {
  expect(states.filter((state) => doorLooks[state].tone === 'good')).toEqual(['fresh']);
  expect(new Set(states.map((state) => doorLooks[state].icon)).size).toBe(states.length);
});

it('during an event every door that is not up to date is told of, gravest first', () => {
  const doors = states.map((state) => door(state));
  expect(troubledDoors('running', doors).map(({ name }) => name)).toEqual([
    ...['copied', 'unsuited', 'expired', 'wiped', 'lease-running-out', 'due', 'never-synced'],
  ]);
  expect(troubledDoors('ongoing', doors)).toEqual(troubledDoors('running', doors));
  expect(troubledDoors('running', [door('fresh'), door('revoked')])).toEqual([]);
  expect([troubledDoors('upcoming', doors), troubledDoors('over', doors)]).toEqual([[], []]);
  expect([isGrave([door('due')]), isGrave([door('due'), door('expired')]), isGrave([door('wiped')])]).toEqual([
    ...[false, true, true],
  ]);
});

it('the same advice is given once', () => {
  const doors = [door('never-synced', 'A'), door('due', 'B'), door('never-synced', 'C')];
  const groups = byAdvice(doors, ({ state }) => state);
  expect(groups.map(([advice, alike]) => [advice, ...alike.map(({ name }) => name)])).toEqual([
    ['never-synced', 'A', 'C'],
    ['due', 'B'],
  ]);
});

it('a door can serve without staff that said so and was not refused since', () => {
  const able = { ...door('fresh'), attendances: ['staffed', 'unattended'] as const };
  const doors = [able, { ...able, state: 'unsuited' as const }, { ...able, attendances: [] }, door('fresh')];
  // The last as a node of 0.2 tells it.
  expect(doors.map(servesUnattended)).toEqual([true, false, false, false]);
});

it('a door without a name is called as its own screen calls it', () => {
  expect([nameOf(door('fresh', 'North')), nameOf({ ...door('fresh'), name: null })]).toEqual(['North', 's6q9tz']);
});
