import { existsSync, readFileSync } from 'node:fs';
import { SDK_VERSION } from '@svc/device-sdk/adapters';
import type { ListResource } from '@svc/protocol';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { resultsFolder } from '../speed/results.ts';
import { sharePostgres, startService } from '../speed/service/start-service.ts';
import { plan, renderCapacity } from './capacity.ts';
import { createDoor, SharedPacks } from './door-device.ts';
import { fillPeople } from './fill.ts';
import { FLEET, type FleetResult, judgeFleet, type Phase, runFleet } from './fleet.ts';
import { runMillion } from './million.ts';
import { runPayloads } from './payloads.ts';

const LIMIT_MS = 240_000;
const isLong = process.env.SVC_TEST_ALL === '1';

sharePostgres(inject('postgres'));

/** The load program plays the protocol; no time is judged here. */
describe('the load program', () => {
  it.skipIf(!isLong)(
    'plays real devices through an outage, and tells what the database and the devices hold',
    async () => {
      // Half a minute is a quarter of a second: the phases are long enough for a machine that is busy with other things.
      const long = { steadyMinutes: 12, tailMinutes: 4 };
      const short = { devices: 20, lists: 2, people: 30, rampMinutes: 1, ...long, speed: 120 };
      let rows: Record<string, unknown>[] = [];
      const options = { ...FLEET, ...short, enrolmentsPerSecond: 4, inference: 'fake' as const };
      const result = await runFleet(
        options,
        () => undefined,
        async (service) => {
          rows = await service.query('SELECT public_key, sync_counter, pack_people, sdk_version FROM devices');
        },
      );
      const [ramp, steady, outage, recovery] = result.phases;
      expect(rows).toHaveLength(20);
      expect(new Set(rows.map((row) => String(row.public_key))).size).toBe(20);
      for (const row of rows) expect(row).toMatchObject({ pack_people: expect.any(Number), sdk_version: SDK_VERSION });
      // Every answer that a device took was counted by the service, with the syncs of the last question.
      const taken = result.phases.flatMap(({ results }) => [results.updated ?? 0, results.unchanged ?? 0]);
      const issued = rows.reduce((sum, row) => sum + Number(row.sync_counter), 0);
      expect(issued).toBeGreaterThanOrEqual(taken.reduce((sum, times) => sum + times, 0));
      expect(ramp?.results.updated).toBeGreaterThanOrEqual(20);
      expect(steady?.syncs).toBeGreaterThanOrEqual(20);
      expect(outage?.results.offline).toBeGreaterThan(0);
      expect(outage?.enrolments.down).toBeGreaterThan(0);
      expect(recovery?.enrolments['201']).toBeGreaterThan(0);
      expect([result.asked, result.wrong]).toEqual([20, 0]);
      expect(result.failures.filter((failure) => /failed|answered|another list/.test(failure))).toEqual([]);
    },
    LIMIT_MS,
  );

  it.skipIf(!isLong)(
    'fetches a large list whole, a delta, and a version of its own for each of several devices',
    async () => {
      const options = { people: 21_000, changes: 3, crowd: 2, crowdBytesPerSecond: 8e6 };
      const { list, overhead, crowd } = await runMillion(options, () => undefined);
      expect([list.first.people, list.delta.people]).toEqual([21_000, 21_003]);
      expect(overhead).toBeGreaterThan(1);
      expect(overhead).toBeLessThan(1.02);
      expect(list.delta.receivedBytes).toBeLessThan(5_000);
      expect(crowd.versions).toBe(2);
    },
    LIMIT_MS,
  );

  it.skipIf(!isLong)(
    'sends payloads through a cache, where there is one, and nothing new to whom nothing is due',
    async () => {
      const { whole, failures } = await runPayloads(
        { devices: 30, people: 3_000, lists: 3, changes: 60 },
        () => undefined,
      );
      expect(failures).toEqual([]);
      expect(whole.plain.nodeBytes).toBeGreaterThan(30 * 1_000 * 320);
    },
    LIMIT_MS,
  );

  it(
    'tells a device that refuses its answer',
    async () => {
      const service = await startService({ inference: 'fake', workers: 1 });
      onTestFinished(() => service.close());
      const { listId } = await service.call<ListResource>('POST', '/v1/lists', { name: 'Door', ongoing: true });
      await fillPeople(service, [listId], 40);
      const [epoch] = await service.query('SELECT engine_id FROM list_epochs');
      const syncOf = async (signingKey: string) => {
        const { token } = await service.call<{ token: string }>('POST', `/v1/lists/${listId}/devices`, {});
        const region = { baseUrl: service.url, signingKeys: [signingKey] };
        const outcomes: unknown[] = [];
        const device = await createDoor({
          ...{ token, region, shared: new SharedPacks(), engineId: String(epoch?.engine_id), speed: 1 },
          onExchange: ({ status }) => outcomes.push(status),
          onSync: (result) => outcomes.push(result.ok ? result.outcome : result.reason),
        });
        await device.syncAsync();
        outcomes.push(device.status().people);
        await device.dispose();
        return outcomes;
      };
      expect(await syncOf(service.signingKey)).toEqual([200, 'updated', 40]);
      expect(await syncOf(Buffer.alloc(32, 7).toString('base64url'))).toEqual([200, 'unknown-signing-key', 0]);
    },
    LIMIT_MS,
  );
});

describe('the verdict', () => {
  const phase = (name: Phase['name'], over: Partial<Phase> = {}): Phase => ({
    ...{ name, seconds: 300, syncs: 10, busiestSecond: 1, p50Ms: 5, p99Ms: 20, longestMs: 30 },
    ...{ results: { unchanged: 9, updated: 1 }, enrolments: { 201: 5 }, oldestMs: 294_500 },
    ...{ residentFirstBytes: 2e8, residentLastBytes: 2.1e8, residentMostBytes: 2.2e8 },
    ...{ processorMs: { api: 1, database: 1, load: 1 } },
    ...over,
  });
  const good: Omit<FleetResult, 'failures'> = {
    options: FLEET,
    phases: [
      phase('ramp'),
      phase('steady'),
      phase('outage', { syncs: 0, results: { offline: 7 }, enrolments: { down: 3 }, oldestMs: 900_000 }),
      phase('recovery', { oldestMs: 900_000 }),
    ],
    ...{ allFreshMs: 290_000, mostFreshMs: 200_000, asked: 10, wrong: 0 },
  };
  const withPhase = (changed: Phase) => ({
    ...good,
    phases: good.phases.map((each) => (each.name === changed.name ? changed : each)),
  });

  it('is good for a good run', () => expect(judgeFleet(good)).toEqual([]));
  it.each([
    ['an old copy', withPhase(phase('steady', { oldestMs: 300_001 })), /300\.0 s old/],
    ['slow syncs', withPhase(phase('steady', { p99Ms: 250 })), /p99/],
    ['no syncs', withPhase(phase('steady', { syncs: 0 })), /nothing was measured/],
    [
      'a refused answer',
      withPhase(phase('recovery', { results: { 'signature-invalid': 1 } })),
      /signature-invalid × 1/,
    ],
    ['an answer of overload', withPhase(phase('outage', { results: { 'server-error': 1 } })), /server-error/],
    ['a refused enrolment', withPhase(phase('recovery', { enrolments: { 201: 4, 503: 1 } })), /503/],
    ['an enrolment without answer', withPhase(phase('recovery', { enrolments: { down: 1 } })), /no answer/],
    ['a memory that grows', withPhase(phase('steady', { residentLastBytes: 4e8 })), /memory/],
    ['a slow return', { ...good, allFreshMs: 600_001 }, /after the outage/],
    ['no return', { ...good, allFreshMs: null }, /after the outage/],
    ['a device with another list', { ...good, wrong: 1 }, /another list/],
    ['nobody asked', { ...good, asked: 0 }, /0 of 0/],
  ])('tells %s', (_what, result, told) => {
    expect(judgeFleet(result)).toEqual([expect.stringMatching(told)]);
  });
});

describe('the plan', () => {
  it('is made of what one sync costs', () => {
    // 2.5 ms: 400 a second and core. A million devices: 3,546 a second, and 6,667 in the minutes after an outage.
    const { perSecond, busiest, nodes, devicesOfNode, databaseCores } = plan(
      { apiProcessorMs: 2.5, databaseProcessorMs: 1.5 },
      1_000_000,
    );
    expect([perSecond, busiest].map(Math.round)).toEqual([3_546, 6_667]);
    expect(nodes).toBe(17);
    expect(Math.round(devicesOfNode)).toBe(67_680);
    expect(databaseCores).toBeCloseTo(8.865, 2);
  });

  it('is what docs/operate/capacity.md says', () => {
    const [fleet, million, curves, payloads] = ['fleet', 'million', 'curves', 'payloads'].map((name) => {
      const file = `${resultsFolder}/load/${name}.json`;
      return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : null;
    });
    const page = readFileSync(new URL('../../docs/operate/capacity.md', import.meta.url), 'utf8');
    expect(page).toBe(renderCapacity({ fleet, million, curves, payloads }));
    expect(page).not.toMatch(/NaN|undefined|null|Infinity/);
  });
});
