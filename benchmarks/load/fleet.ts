import { setTimeout as sleep } from 'node:timers/promises';
import type { CheckInDevice } from '@svc/device-sdk';
import type { AddedDevice } from '@svc/protocol';
import { quantile } from '../inputs/summary.ts';
import { createEnrolments, portraits } from '../speed/service/enrolments.ts';
import { atRate, each } from '../speed/service/pace.ts';
import { RawClient } from '../speed/service/raw-client.ts';
import { type BenchService, type ProcessorTime, startService } from '../speed/service/start-service.ts';
import { createDoor, type Exchange, SharedPacks } from './door-device.ts';
import { AT_ONCE, addLists, fillPeople } from './fill.ts';
import { residentOf } from './resident.ts';

export interface FleetOptions {
  readonly devices: number;
  readonly lists: number;
  /** Of each list. */
  readonly people: number;
  /** The devices are switched on within this time. */
  readonly rampMinutes: number;
  readonly steadyMinutes: number;
  readonly outageMinutes: number;
  /** The recovery ends when everybody is fresh and this has passed, or when it has failed. */
  readonly tailMinutes: number;
  readonly enrolmentsPerSecond: number;
  readonly inference: 'models' | 'fake';
  /** Minutes and the devices' timers run this many times as fast; 1 for a measurement. */
  readonly speed: number;
}

export const FLEET: FleetOptions = {
  devices: 10_000,
  lists: 1_000,
  people: 200,
  rampMinutes: 3,
  steadyMinutes: 6,
  outageMinutes: 10,
  tailMinutes: 2,
  enrolmentsPerSecond: 2,
  inference: 'models',
  speed: 1,
};

/** Devices sync every five minutes. */
const FRESH_MINUTES = 5;
const RECOVERY_MINUTES = 10;
const P99_MS = 250;
const MIB = 2 ** 20;
/** Processes of the organisers' servers. */
const SERVERS = 4;

const phaseNames = ['ramp', 'steady', 'outage', 'recovery'] as const;
export type PhaseName = (typeof phaseNames)[number];

/** What was measured in one phase; times in milliseconds, sizes in bytes. */
export interface Phase {
  readonly name: PhaseName;
  readonly seconds: number;
  /** Answers with 200, per second; the busiest second. */
  readonly syncs: number;
  readonly busiestSecond: number;
  /** Until a request's last byte was at the device. */
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly longestMs: number;
  /** How syncs ended, by the SDK's outcome or failure. */
  readonly results: Readonly<Record<string, number>>;
  /** Answers to enrolments by status; `down` without an answer. */
  readonly enrolments: Readonly<Record<string, number>>;
  /** Age of the oldest copy at any second, counted from when its request was sent. */
  readonly oldestMs: number;
  readonly residentFirstBytes: number;
  readonly residentLastBytes: number;
  readonly residentMostBytes: number;
  /** Processor time: the API, its database, this program. */
  readonly processorMs: { readonly api: number | null; readonly database: number | null; readonly load: number };
}

export interface FleetResult {
  readonly options: FleetOptions;
  readonly phases: readonly Phase[];
  /** From the end of the outage until every copy was from after it; null: not within the time. */
  readonly allFreshMs: number | null;
  /** The same for 99 of 100 devices. */
  readonly mostFreshMs: number | null;
  /** Devices asked at the end whether they hold the database's version and number of people, and how many do not. */
  readonly asked: number;
  readonly wrong: number;
  readonly failures: readonly string[];
}

interface Door {
  readonly device: CheckInDevice;
  readonly listId: string;
  /** When the last request was sent, and that of the copy that it holds; null before. `performance.now()`. */
  readonly times: { sentAtMs: number; heldSinceMs: number | null };
}

const count = (counts: Map<string, number>, key: string) => counts.set(key, (counts.get(key) ?? 0) + 1);

/** Collects a phase's figures while it runs. */
class PhaseRecorder {
  readonly tookMs: number[] = [];
  readonly results = new Map<string, number>();
  readonly enrolments = new Map<string, number>();
  readonly resident: number[] = [];
  readonly #perSecond = new Map<number, number>();
  readonly #startedAtMs = performance.now();
  readonly #cpu = process.cpuUsage();
  oldestMs = 0;

  constructor(
    readonly name: PhaseName,
    /** Processor times at the start; null while the API is down. */
    public before: ProcessorTime | null,
  ) {}

  exchanged({ tookMs, status }: Exchange): void {
    if (status !== 200) return;
    this.tookMs.push(tookMs);
    const second = Math.floor((performance.now() - this.#startedAtMs) / 1000);
    this.#perSecond.set(second, (this.#perSecond.get(second) ?? 0) + 1);
  }

  end(after: ProcessorTime | null): Phase {
    const { user, system } = process.cpuUsage(this.#cpu);
    const sum = (key: keyof ProcessorTime) => {
      const [from, to] = [this.before?.[key] ?? null, after?.[key] ?? null];
      return from === null || to === null ? null : to - from;
    };
    return {
      name: this.name,
      seconds: (performance.now() - this.#startedAtMs) / 1000,
      syncs: this.tookMs.length,
      busiestSecond: Math.max(0, ...this.#perSecond.values()),
      p50Ms: quantile(this.tookMs, 0.5),
      p99Ms: quantile(this.tookMs, 0.99),
      longestMs: quantile(this.tookMs, 1),
      results: Object.fromEntries(this.results),
      enrolments: Object.fromEntries(this.enrolments),
      oldestMs: this.oldestMs,
      residentFirstBytes: this.resident[0] ?? 0,
      residentLastBytes: this.resident.at(-1) ?? 0,
      residentMostBytes: Math.max(0, ...this.resident),
      processorMs: { api: sum('api'), database: sum('database'), load: (user + system) / 1000 },
    };
  }
}

/** Why the run misses its bars; empty if it meets them. */
export function judgeFleet(result: Omit<FleetResult, 'failures'>): string[] {
  const { options, phases, allFreshMs, wrong, asked } = result;
  const limit = (minutes: number) => (minutes * 60_000) / options.speed;
  const failures: string[] = [];
  const steady = phases.find(({ name }) => name === 'steady');
  if (steady === undefined || steady.syncs === 0) return ['nothing was measured'];
  if (steady.oldestMs > limit(FRESH_MINUTES)) {
    failures.push(`a copy was ${(steady.oldestMs / 1000).toFixed(1)} s old in the steady state`);
  }
  if (!(steady.p99Ms < P99_MS)) failures.push(`p99 of a sync was ${steady.p99Ms.toFixed(0)} ms in the steady state`);
  if (allFreshMs === null || allFreshMs > limit(RECOVERY_MINUTES)) {
    failures.push('not everybody was fresh in time after the outage');
  }
  for (const { name, results, enrolments } of phases) {
    const failed = Object.keys(results).filter((outcome) => !['updated', 'unchanged'].includes(outcome));
    if (failed.some((outcome) => name !== 'outage' || outcome !== 'offline')) {
      failures.push(`syncs failed in “${name}”: ${failed.map((each) => `${each} × ${results[each]}`).join(', ')}`);
    }
    const refused = Object.keys(enrolments).filter((status) => status !== '201' && status !== 'down');
    if (refused.length > 0) failures.push(`enrolments were answered ${refused.join(', ')} in “${name}”`);
    if (name !== 'outage' && enrolments.down !== undefined) failures.push(`enrolments had no answer in “${name}”`);
  }
  // After the ramp everything is loaded and every cache is full.
  if (steady.residentLastBytes > 1.25 * steady.residentFirstBytes + 64 * MIB) {
    failures.push('the memory of the API grew in the steady state');
  }
  if (asked === 0 || wrong > 0) failures.push(`${wrong} of ${asked} devices hold another list than the database`);
  return failures;
}

/**
 * Ten thousand doors for half an hour.
 * @param say called with a line of progress
 * @param inspect called at the end with the service, before it stops
 */
export async function runFleet(
  options: FleetOptions,
  say: (line: string) => void,
  inspect?: (service: BenchService) => Promise<void>,
): Promise<FleetResult> {
  const { devices, lists, people, speed, inference } = options;
  const minutes = (value: number) => (value * 60_000) / speed;
  const photos = inference === 'models' ? await portraits(4) : [Buffer.from('a face')];
  const service = await startService({ inference, workers: 1, environment: { SVC_JOBS: 'on' } });
  const doors: Door[] = [];
  const client = new RawClient(service.url);
  let isOver = false;
  try {
    say(`${lists} lists of ${people} people, ${devices} devices`);
    const listIds = await addLists(service, lists);
    await fillPeople(service, listIds, people);
    const [epoch] = await service.query('SELECT engine_id FROM list_epochs LIMIT 1');
    const tokens = await each(devices, AT_ONCE, async (i) => {
      const listId = listIds[i % lists] ?? '';
      return { listId, token: (await service.call<AddedDevice>('POST', `/v1/lists/${listId}/devices`, {})).token };
    });

    const phases: Phase[] = [];
    let recorder = new PhaseRecorder('ramp', await service.processorMs());
    const enter = async (name: PhaseName) => {
      const time = recorder.name === 'outage' ? null : await service.processorMs();
      phases.push(recorder.end(time));
      const { results, syncs, seconds } = phases.at(-1) as Phase;
      say(`${recorder.name}: ${seconds.toFixed(0)} s, ${syncs} syncs, ${JSON.stringify(results)}`);
      recorder = new PhaseRecorder(name, time);
    };

    // The organisers' servers: at a fixed rate whatever becomes of earlier ones; what had no answer is sent again.
    const enrolments = createEnrolments(service, '', photos);
    let [turn, unsent, isDown] = [0, 0, false];
    let busy = 0;
    async function enrol(): Promise<void> {
      const { enrolments: statuses } = recorder;
      // A balancer sends nothing to a node that is not ready.
      if (isDown || busy === SERVERS) {
        unsent += 1;
        if (isDown) count(statuses, 'down');
        return;
      }
      turn += 1;
      busy += 1;
      try {
        const { status } = await enrolments.send(client, turn, listIds[turn % lists]);
        count(statuses, String(status));
      } catch {
        unsent += 1;
        count(statuses, 'down');
      }
      busy -= 1;
    }
    const enrolSteadily = () =>
      atRate(
        options.enrolmentsPerSecond,
        () => isOver,
        async () => {
          const isBehind = unsent > 0 && !isDown;
          if (isBehind) unsent -= 1;
          await Promise.all([enrol(), ...(isBehind ? [enrol()] : [])]);
        },
      );

    // Every second: how old is the oldest copy, and how much memory has the API.
    async function watch(): Promise<void> {
      while (!isOver) {
        await sleep(1000 / Math.min(speed, 20));
        const now = performance.now();
        for (const { times } of doors) {
          const { heldSinceMs } = times;
          if (heldSinceMs !== null) recorder.oldestMs = Math.max(recorder.oldestMs, now - heldSinceMs);
        }
        if (!isDown) recorder.resident.push((await residentOf(service.apiPid()).catch(() => null))?.now ?? 0);
      }
    }
    const beside = Promise.all([enrolSteadily(), watch()]);

    const shared = new SharedPacks();
    const region = { baseUrl: service.url, signingKeys: [service.signingKey] };
    const rampAtMs = performance.now();
    for (const [i, { listId, token }] of tokens.entries()) {
      await sleep(Math.max(0, rampAtMs + (i * minutes(options.rampMinutes)) / devices - performance.now()));
      const times = { sentAtMs: 0, heldSinceMs: null as number | null };
      const device = await createDoor({
        ...{ token, region, shared, speed, engineId: String(epoch?.engine_id) },
        onExchange(exchange) {
          if (exchange.isPayload) return;
          times.sentAtMs = exchange.sentAtMs;
          recorder.exchanged(exchange);
        },
        onSync(result) {
          count(recorder.results, result.ok ? result.outcome : result.reason);
          if (result.ok) times.heldSinceMs = times.sentAtMs;
        },
      });
      doors.push({ device, listId, times });
      device.start();
    }
    while (doors.some(({ times }) => times.heldSinceMs === null)) await sleep(100);

    await enter('steady');
    await sleep(minutes(options.steadyMinutes));

    await enter('outage');
    isDown = true;
    await service.kill();
    await sleep(minutes(options.outageMinutes));

    const backAtMs = performance.now();
    const freshAfter = () => doors.filter(({ times }) => (times.heldSinceMs ?? 0) >= backAtMs).length;
    await service.restart();
    await enter('recovery');
    recorder.before = await service.processorMs();
    isDown = false;
    let [allFreshMs, mostFreshMs]: [number | null, number | null] = [null, null];
    while (allFreshMs === null && performance.now() - backAtMs < minutes(RECOVERY_MINUTES)) {
      await sleep(1000 / speed);
      const fresh = freshAfter();
      const passedMs = performance.now() - backAtMs;
      if (fresh >= 0.99 * devices) mostFreshMs ??= passedMs;
      if (fresh === devices) allFreshMs = passedMs;
    }
    await sleep(minutes(options.tailMinutes));
    phases.push(recorder.end(await service.processorMs()));
    say(`recovery: everybody fresh after ${((allFreshMs ?? Number.NaN) / 1000).toFixed(0)} s`);

    isOver = true;
    await beside;
    const [asked, wrong] = await askDevices(service, doors);
    await inspect?.(service);
    const result = { options, phases, allFreshMs, mostFreshMs, asked, wrong };
    return { ...result, failures: judgeFleet(result) };
  } finally {
    isOver = true;
    await Promise.all(doors.map(({ device }) => device.dispose()));
    client.close();
    await service.close();
  }
}

/** Nobody enrols any more: a device that syncs now holds what the database holds. @returns how many, and how many not */
async function askDevices(service: BenchService, doors: readonly Door[]): Promise<[number, number]> {
  const rows = await service.query(
    'SELECT l.list_id, l.list_version, (SELECT count(*) FROM faces f WHERE f.list_id = l.list_id) AS people FROM lists l',
  );
  const lists = new Map(rows.map((row) => [row.list_id, row]));
  const step = Math.max(1, Math.floor(doors.length / 500));
  const chosen = doors.filter((_door, i) => i % step === 0);
  let wrong = 0;
  await each(chosen.length, AT_ONCE, async (i) => {
    const { device, listId } = chosen[i] as Door;
    device.stop();
    // The first may join one that began before the last enrolment.
    for (let i = 0; i < 2; i += 1) await device.syncAsync();
    const { listVersion, people } = device.status();
    const list = lists.get(listId);
    if (listVersion !== Number(list?.list_version) || people !== Number(list?.people)) wrong += 1;
  });
  return [chosen.length, wrong];
}
