import { DAY_MS } from '@svc/protocol';
import fc from 'fast-check';
import { expect, inject, it } from 'vitest';
import { histories, type Step } from './history.ts';
import { openDatabases } from './simulated-service.ts';
import { run } from './world.ts';

const databases = await openDatabases(inject('postgres'));

const begin: readonly Step[] = [
  { do: 'create-list', endsInMs: 10 * DAY_MS },
  { do: 'add-device', list: 0 },
  { do: 'enrol', list: 0, person: 0, face: 0 },
  { do: 'sync', device: 0, network: 'good' },
];

/** Histories that are hardly drawn. */
const regressions: Readonly<Record<string, readonly Step[]>> = {
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

it.each(Object.entries(regressions))('%s', async (_name, steps) => {
  await run(steps, 1, databases);
});

const runs = Number(process.env.SVC_TEST_HISTORIES ?? 5);
/**
 * In how many histories each kind of event is seen once, about: a device that always refuses, or a service that does,
 * would keep every promise.
 */
const seenOnceIn: Readonly<Record<string, number>> = {
  ...{ updated: 1, unchanged: 1, Match: 1, NoFace: 1, NoMatch: 5, NotEnrolled: 1, LeaseExpired: 1, Expired: 20 },
  ...{ wiped: 5, 'device-revoked': 30, 'list-deleted': 30 },
  ...{ 'retention-deadline': 10, 'no-sync-30-days': 30 },
  ...{ 'kill in a sync': 15, 'power in a sync': 15, 'kill in a start': 15, 'power in a start': 15 },
  ...{ 'kill in a verification': 50, 'power in a verification': 50, 'kill at rest': 3, 'power at rest': 3 },
};

it(`all promises hold in ${runs} histories`, async () => {
  const all: Record<string, number> = {};
  await fc.assert(
    fc.asyncProperty(histories, fc.nat(), async (steps, seed) => {
      const seen = await run(steps, seed, databases);
      for (const [kind, times] of Object.entries(seen)) all[kind] = (all[kind] ?? 0) + times;
    }),
    { numRuns: runs },
  );
  const seldom = Object.entries(seenOnceIn).filter(([kind, of]) => (all[kind] ?? 0) < Math.floor(runs / of / 4));
  expect([seldom.map(([kind]) => kind), all]).toEqual([[], all]);
}, 3_600_000);
