import { DAY_MS } from '@svc/protocol';
import { describe, expect, inject, it } from 'vitest';
import { drawHistory, type Step } from './history.ts';
import { run, simulateSeeds } from './simulate.ts';
import { openDatabases } from './simulated-service.ts';

const databases = await openDatabases(inject('postgres'));

const begin: readonly Step[] = [
  { do: 'create-list', account: 0, endsInMs: 10 * DAY_MS },
  { do: 'add-device', list: 0 },
  { do: 'enrol', list: 0, person: 0, face: 0 },
  { do: 'sync', device: 0, network: 'good' },
];

const histories: Readonly<Record<string, readonly Step[]>> = {
  'a backup does not bring back who went at a sooner end that was made later again': [
    ...begin,
    { do: 'back-up' },
    { do: 'move-end', list: 0, endsInMs: DAY_MS },
    { do: 'move-end', list: 0, endsInMs: 10 * DAY_MS },
    { do: 'wait', ms: 2 * DAY_MS },
    { do: 'run-jobs' },
    { do: 'restore', backup: null },
    { do: 'sync', device: 0, network: 'good' },
  ],
  'a deadline comes for a device before its time, by as much as its question was on its way': [
    ...begin,
    {
      ...{ do: 'slow-sync', device: 0, way: 'there' },
      meanwhile: [
        { do: 'wait', ms: 90_000 },
        { do: 'move-end', list: 0, endsInMs: 60_000 },
      ],
    },
  ],
  'a device whose clock was ahead for a while gets back whom it dropped, though the list is as it was': [
    ...begin,
    { do: 'move-end', list: 0, endsInMs: 12 * DAY_MS },
    { do: 'sync', device: 0, network: 'good' },
    { do: 'set-clock', device: 0, ms: 11 * DAY_MS },
    { do: 'verify', device: 0, person: 0 },
    { do: 'set-clock', device: 0, ms: -11 * DAY_MS },
    { do: 'sync', device: 0, network: 'good' },
  ],
  'a device whose clock jumps by forty days while an answer is on its way is erased for good, and is added again': [
    { do: 'create-list', account: 0, endsInMs: DAY_MS },
    { do: 'add-device', list: 0 },
    { do: 'enrol', list: 0, person: 0, face: 0 },
    {
      ...{ do: 'slow-sync', device: 0, way: 'back' },
      meanwhile: [{ do: 'set-clock', device: 0, ms: 40 * DAY_MS }],
    },
  ],
  'a device that is revoked while somebody stands before its camera lets nobody in': [
    ...begin,
    {
      ...{ do: 'slow-verify', device: 0, person: 0 },
      meanwhile: [
        { do: 'revoke', device: 0 },
        { do: 'sync', device: 0, network: 'good' },
      ],
    },
  ],
};

describe('regressions:', () => {
  it.each(Object.entries(histories))('%s', async (_name, steps) => {
    expect((await run({ seed: 1, steps }, databases)).failure).toBeNull();
  });
});

it('all promises hold: seeds 1 to 5', async () => {
  const { seeds, seen, reports } = await simulateSeeds({ from: 1, end: 6, stride: 1 }, databases);
  expect(reports.join('\n\n')).toBe('');
  expect(seeds).toBe(5);
  // A service that always refuses would keep every promise.
  expect(seen.syncs.updated).toBeGreaterThan(10);
  expect(seen.verifications.Match).toBeGreaterThan(0);
});

it('the same seed gives the same history', async () => {
  const [first, second] = [await run(drawHistory(17), databases), await run(drawHistory(17), databases)];
  expect(first.trace.length).toBeGreaterThan(20);
  expect(second.trace).toEqual(first.trace);
});
