import { equal, ok } from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseEnvelope } from '@svc/core/pack';
import { type ListResource, syncManifestSchema } from '@svc/protocol';
import { quantile } from '../../inputs/summary.ts';
import { addDevice, type BenchDevice } from '../service/device.ts';
import { createEnrolments, portraits } from '../service/enrolments.ts';
import { at, atRate } from '../service/pace.ts';
import { RawClient } from '../service/raw-client.ts';
import { type BenchService, startService } from '../service/start-service.ts';
import type { SuiteFactory } from '../suite.ts';

const SYNCS_PER_SECOND = 50;
const ENROLMENTS_PER_SECOND = 1;
/** The objectives of docs/monitoring.md. */
const OBJECTIVES = { syncMs: 250, enrolmentMs: 2_000, deletionMs: 300_000, startMs: 60_000 } as const;

/** Sum of a metric's samples whose labels contain these texts. */
async function counted(service: BenchService, metric: string, ...labels: readonly string[]): Promise<number> {
  const page = await (await fetch(service.metricsUrl ?? '')).text();
  return page
    .split('\n')
    .filter((line) => new RegExp(`^${metric}[{ ]`).test(line) && labels.every((label) => line.includes(label)))
    .reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}

/** The objectives of docs/monitoring.md, by the clock of callers, beside what the service's own metrics say. */
export const createSuite: SuiteFactory = async (scale) => {
  const isFull = scale === 'full';
  const seconds = isFull ? 20 : 1;
  const environment = { SVC_JOBS: 'on', SVC_METRICS_PORT: '0' };
  const service = await startService({ inference: isFull ? 'models' : 'fake', environment });
  const startMs = 1_000 * (await counted(service, 'svc_start_duration_seconds'));
  const client = new RawClient(service.url);
  const devices: { readonly device: BenchDevice; since: number }[] = [];
  let listId = '';
  for (let list = 0; list < (isFull ? 8 : 1); list += 1) {
    ({ listId } = await service.call<ListResource>('POST', '/v1/lists', { name: 'Bench', ongoing: true }));
    for (let i = 0; i < 8; i += 1) devices.push({ device: await addDevice(service, listId), since: 0 });
  }
  const photos = isFull ? await portraits(6) : [Buffer.from('a face')];
  const enrolments = createEnrolments(service, listId, photos);
  const nothing = () => ({
    syncMs: [] as number[],
    enrolmentMs: [] as number[],
    deletionMs: [] as number[],
    failed: 0,
  });
  let seen = nothing();

  async function sync(turn: number): Promise<void> {
    const asking = at(devices, turn);
    const { bytes } = asking.device.request(asking.since);
    const startedAt = performance.now();
    const { status, body } = await client.send(bytes);
    seen.syncMs.push(performance.now() - startedAt);
    if (status !== 200) {
      seen.failed += 1;
      return;
    }
    const manifest = JSON.parse(Buffer.from(parseEnvelope(body).manifest).toString('utf8'));
    asking.since = syncManifestSchema.parse(manifest).toVersion;
  }

  async function enrol(turn: number): Promise<void> {
    const startedAt = performance.now();
    const { status } = await enrolments.send(client, turn);
    seen.enrolmentMs.push(performance.now() - startedAt);
    if (status !== 201) seen.failed += 1;
  }

  async function beBusy(): Promise<void> {
    const busy = (perSecond: number, work: (turn: number) => Promise<void>) =>
      atRate(perSecond, (started) => started >= perSecond * seconds, work);
    await Promise.all([busy(SYNCS_PER_SECOND, sync), busy(ENROLMENTS_PER_SECOND, enrol)]);
  }

  /** Everybody's date is now; what is found gone is as old as the last look. */
  async function expire(): Promise<void> {
    const startedAt = performance.now();
    await service.query('UPDATE people SET delete_after = now()');
    // The job runs once a minute; the tests do not wait for it.
    if (!isFull) await service.query("UPDATE recurring_jobs SET due_at = now() WHERE name = 'expire-people'");
    for (let left = 1; left > 0; ) {
      await sleep(100);
      left = Number((await service.query('SELECT count(*) AS people FROM people'))[0]?.people);
    }
    seen.deletionMs.push(performance.now() - startedAt);
  }

  const busyName = `${seconds} s: ${SYNCS_PER_SECOND} syncs and ${ENROLMENTS_PER_SECOND} enrolment a second`;
  const expireName = 'people past their date are deleted';
  const ofSyncs = ['route="/v1/device/sync"', 'status="200"'];
  return {
    title: 'Objectives',
    about: `What [monitoring](monitoring.md#objectives) promises, on one node with two inference threads, PostgreSQL and the load generator on the same machine. ${devices.length} devices; what is asked comes at its rate whatever becomes of those before. Photos of some 300 KB. By the clock of the callers, sending included.`,
    cases: [
      {
        name: busyName,
        run: beBusy,
        check: async () => {
          const before = await counted(service, 'svc_http_request_duration_seconds_count', ...ofSyncs);
          await beBusy();
          const after = await counted(service, 'svc_http_request_duration_seconds_count', ...ofSyncs);
          equal(after - before, seconds * SYNCS_PER_SECOND);
          equal(seen.failed, 0);
          ok(startMs > 0);
        },
      },
      {
        name: expireName,
        run: expire,
        check: async () => {
          await enrol(0);
          await expire();
          ok((await counted(service, 'svc_person_expiry_delay_seconds_count')) > 0);
        },
      },
    ],
    ratios: [],
    spreads: () => [
      { name: 'a sync', values: seen.syncMs },
      { name: 'an enrolment', values: seen.enrolmentMs },
      { name: 'from the date to the deletion of everybody', values: seen.deletionMs },
    ],
    bars: () => [
      { name: '99 of 100 syncs within', value: quantile(seen.syncMs, 0.99), atMost: OBJECTIVES.syncMs, unit: 'ms' },
      {
        ...{ name: '95 of 100 enrolments within', value: quantile(seen.enrolmentMs, 0.95) },
        ...{ atMost: OBJECTIVES.enrolmentMs, unit: 'ms' },
      },
      {
        ...{ name: 'the longest deletion', value: Math.max(...seen.deletionMs) },
        ...{ atMost: OBJECTIVES.deletionMs, unit: 'ms' },
      },
      { name: 'from the start of the process to ready', value: startMs, atMost: OBJECTIVES.startMs, unit: 'ms' },
    ],
    figures: [
      {
        name: 'requests that failed',
        text: () => `${seen.failed} of ${seen.syncMs.length + seen.enrolmentMs.length}`,
      },
    ],
    rounds: 3,
    clock: 'wall',
    beginMeasuring() {
      seen = nothing();
    },
    async close() {
      client.close();
      await service.close();
    },
  };
};
