import { equal, ok } from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ListResource } from '@svc/protocol';
import { quantile } from '../../inputs/summary.ts';
import { addDevice } from '../service/device.ts';
import { createEnrolments, portraits } from '../service/enrolments.ts';
import { atRate, each } from '../service/pace.ts';
import { RawClient } from '../service/raw-client.ts';
import { startService } from '../service/start-service.ts';
import type { SuiteFactory } from '../suite.ts';

const WORKERS = 2;
const AT_ONCE = 3 * WORKERS;
/** Enrolments before timing, after which V8 has compiled the code. */
const WARM_UP = 300;
const TIMES = 5;
const PROBE_MS = 100;
const HEALTH = 'GET /healthz HTTP/1.1\r\nHost: bench\r\n\r\n';
const MIB = 2 ** 20;

const p95 = (values: readonly number[]) => (values.length === 0 ? 'none' : `${quantile(values, 0.95).toFixed(0)} ms`);

async function timed<T>(into: number[], work: () => Promise<T>): Promise<T> {
  const startedAt = performance.now();
  const result = await work();
  into.push(performance.now() - startedAt);
  return result;
}

/** Of the measured rounds, without checks and warm-ups. */
const nothingSeen = () => ({
  rejectedMs: [] as number[],
  calmHealthMs: [] as number[],
  healthMs: [] as number[],
  syncMs: [] as number[],
  calmSyncMs: [] as number[],
  probesFailed: 0,
  offered: 0,
  otherAnswers: 0,
  residentBytes: [] as number[],
});

/** The service's throughput and latency at five times the enrolments it can handle. */
export const createSuite: SuiteFactory = async (scale) => {
  const isFull = scale === 'full';
  const photos = isFull ? await portraits(6) : [Buffer.from('a face')];
  const people = isFull ? 120 : 2;
  const service = await startService({ inference: isFull ? 'models' : 'fake', workers: WORKERS });
  const client = new RawClient(service.url);
  const { listId } = await service.call<ListResource>('POST', '/v1/lists', { name: 'Bench', ongoing: true });
  const device = await addDevice(service, listId);
  const enrolments = createEnrolments(service, listId, photos);
  const enrolled: string[] = [];
  let seen = nothingSeen();

  async function verifySync(since: number) {
    const { bytes, nonce } = device.request(since);
    const { status, body } = await client.send(bytes);
    equal(status, 200);
    return device.verify(body, nonce);
  }

  async function atPeak(count = people): Promise<void> {
    await each(count, AT_ONCE, async (turn) => {
      const { status, personId } = await enrolments.send(client, turn);
      if (status !== 201) throw new Error(`an enrolment was answered ${status}`);
      enrolled.push(personId);
    });
  }

  /** Health and sync, ten times a second, until stopped. The device asks for changes, as devices do. */
  async function probe(healthMs: number[], syncMs: number[], isOver: () => boolean): Promise<void> {
    let { toVersion } = (await verifySync(0)).manifest;
    while (!isOver()) {
      const { status } = await timed(healthMs, () => client.send(HEALTH));
      const synced = await timed(syncMs, () => verifySync(toVersion)).then(
        (answer) => {
          ({ toVersion } = answer.manifest);
          return true;
        },
        () => false,
      );
      if (status !== 200 || !synced) seen.probesFailed += 1;
      await sleep(PROBE_MS);
    }
  }

  /** An open loop: requests come at a fixed rate independently of earlier ones. */
  async function overload(perSecond: number): Promise<void> {
    const enrolledBefore = enrolled.length;
    const isOver = () => enrolled.length - enrolledBefore >= people;
    const probing = probe(seen.healthMs, seen.syncMs, isOver);
    await atRate(perSecond, isOver, async (turn) => {
      seen.offered += 1;
      const startedAt = performance.now();
      const { status, personId } = await enrolments.send(client, turn);
      if (status === 201) enrolled.push(personId);
      else if (status === 503) seen.rejectedMs.push(performance.now() - startedAt);
      else seen.otherAnswers += 1;
    });
    seen.residentBytes.push((await service.usage()).residentBytes);
    await probing;
  }

  // Unmeasured runs use a rate that any machine can handle.
  let peakPerSecond = isFull ? 20 : 4;
  async function measurePeak(): Promise<void> {
    let isOver = false;
    const probing = probe(seen.calmHealthMs, seen.calmSyncMs, () => isOver);
    const startedAt = performance.now();
    await atPeak();
    if (isFull) peakPerSecond = people / ((performance.now() - startedAt) / 1000);
    isOver = true;
    await probing;
  }

  const peakName = `${people} enrolments at the peak`;
  const overName = `${people} enrolments under overload`;
  return {
    title: 'Overload',
    about: `Service and photos are as in “Enrolment”. The peak rate is what ${AT_ONCE} connections reach when each sends its next request as soon as it has a response. Under overload, requests arrive at ${TIMES} times the peak rate until ${people} people are enrolled; a refused request is not sent again. Goodput is the rate of successful enrolments under overload. Ten times a second, the suite also sends a health check and a device’s sync. The load generator runs on the same cores.`,
    cases: [
      {
        name: peakName,
        run: measurePeak,
        check: async () => {
          await atPeak(isFull ? WARM_UP : people);
          const answer = await verifySync(0);
          equal(answer.manifest.recordCount, enrolled.length);
          ok((await device.openPeople(answer, enrolled)).length === enrolled.length);
        },
      },
      {
        name: overName,
        run: () => overload(TIMES * peakPerSecond),
        check: async () => {
          await overload(TIMES * peakPerSecond);
          const answer = await verifySync(0);
          equal(answer.manifest.recordCount, enrolled.length);
          ok((await device.openPeople(answer, enrolled)).length === enrolled.length);
          equal(seen.probesFailed, 0);
          equal(seen.otherAnswers, 0);
        },
      },
    ],
    ratios: [{ name: 'goodput divided by the peak rate', fast: overName, slow: peakName, atLeast: 0.8 }],
    figures: [
      {
        name: 'enrolment requests in all rounds under overload',
        text: () =>
          `${seen.offered - seen.rejectedMs.length - seen.otherAnswers} enrolled a person, ${seen.rejectedMs.length} were refused (503), ${seen.otherAnswers} failed`,
      },
      { name: '95th percentile of refusals', text: () => p95(seen.rejectedMs) },
      {
        name: '95th percentile of health checks',
        text: () => `${p95(seen.healthMs)} under overload, ${p95(seen.calmHealthMs)} at the peak`,
      },
      {
        name: '95th percentile of syncs',
        text: () => `${p95(seen.syncMs)} under overload, ${p95(seen.calmSyncMs)} at the peak`,
      },
      {
        name: 'health checks and syncs under overload',
        text: () => `${seen.healthMs.length + seen.syncMs.length} sent, ${seen.probesFailed} failed`,
      },
      {
        name: 'memory of the API after each round',
        text: () =>
          seen.residentBytes
            .map((bytes) => `${(bytes / MIB).toFixed(0)}`)
            .join(', ')
            .concat(' MiB'),
      },
    ],
    rounds: 3,
    clock: 'wall',
    beginMeasuring() {
      seen = nothingSeen();
    },
    async close() {
      client.close();
      await service.close();
    },
  };
};
