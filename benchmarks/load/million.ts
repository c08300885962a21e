import { setTimeout as sleep } from 'node:timers/promises';
import type { ListResource } from '@svc/protocol';
import { createEnrolments } from '../speed/service/enrolments.ts';
import { RawClient } from '../speed/service/raw-client.ts';
import { type BenchService, startService } from '../speed/service/start-service.ts';
import { startDevice } from './device-process.ts';
import { fillPeople } from './fill.ts';
import type { OneSync } from './one-device.ts';
import { forgetPeak, residentOf } from './resident.ts';

/** A sync of one device, and what it cost both sides. */
export interface MeasuredSync {
  readonly ms: number;
  readonly receivedBytes: number;
  readonly people: number;
  readonly apiProcessorMs: number;
  readonly databaseProcessorMs: number | null;
  /** Above what the process held before the sync. */
  readonly apiGrowthBytes: number;
  readonly deviceGrowthBytes: number;
  /** What the device holds more than before, once garbage was collected. */
  readonly deviceKeptBytes: number;
}

/** One list of a size. */
export interface ListCurve {
  readonly people: number;
  readonly recordBytes: number;
  readonly first: MeasuredSync;
  /** Without news; the median of several. */
  readonly unchanged: MeasuredSync;
  /** After `changes` enrolments. */
  readonly changes: number;
  readonly delta: MeasuredSync;
}

const UNCHANGED_SYNCS = 9;

/** Measures `work`, of which `sync` is the last part, on the API and its database. */
export async function measured(service: BenchService, sync: () => Promise<OneSync>): Promise<MeasuredSync> {
  const before = await service.processorMs();
  const pid = service.apiPid();
  const { now } = await residentOf(pid);
  await forgetPeak(pid);
  const done = await sync();
  const { peak } = await residentOf(pid);
  const after = await service.processorMs();
  return {
    ms: done.ms,
    receivedBytes: done.exchange?.receivedBytes ?? 0,
    people: done.result.ok && done.result.outcome !== 'wiped' ? done.result.people : 0,
    apiProcessorMs: after.api - before.api,
    databaseProcessorMs: after.database === null || before.database === null ? null : after.database - before.database,
    apiGrowthBytes: Math.max(0, peak - now),
    deviceGrowthBytes: Math.max(0, done.residentMostBytes - done.residentBeforeBytes),
    deviceKeptBytes: Math.max(0, done.residentAfterBytes - done.residentBeforeBytes),
  };
}

const byTime = (a: MeasuredSync, b: MeasuredSync) => a.ms - b.ms;

/** One list, one device: the first pack, syncs without news, and a delta. */
export async function measureList(service: BenchService, people: number, changes: number): Promise<ListCurve> {
  const listId = await filledList(service, people);
  const [epoch] = await service.query('SELECT octet_length(check_record) AS size FROM list_epochs WHERE list_id = $1', [
    listId,
  ]);
  const client = new RawClient(service.url);
  const device = await startDevice(service, listId);
  try {
    const first = await measured(service, () => device.sync());
    const unchanged: MeasuredSync[] = [];
    for (let i = 0; i < UNCHANGED_SYNCS; i += 1) unchanged.push(await measured(service, () => device.sync()));
    await enrol(service, client, listId, changes);
    const delta = await measured(service, () => device.sync());
    for (const [{ people: told }, expected] of [
      [first, people],
      [delta, people + changes],
    ] as const) {
      if (told !== expected) throw new Error(`a device holds ${told} people instead of ${expected}`);
    }
    const middle = unchanged.sort(byTime)[Math.floor(UNCHANGED_SYNCS / 2)] as MeasuredSync;
    return { people, recordBytes: Number(epoch?.size), first, unchanged: middle, changes, delta };
  } finally {
    client.close();
    await device.close();
  }
}

export async function filledList(service: BenchService, people: number): Promise<string> {
  const { listId } = await service.call<ListResource>('POST', '/v1/lists', { name: 'One list', ongoing: true });
  await fillPeople(service, [listId], people);
  return listId;
}

/** Real enrolments, with photos that the fake engine takes for faces. */
export async function enrol(service: BenchService, client: RawClient, listId: string, count: number): Promise<void> {
  const enrolments = createEnrolments(service, listId, [Buffer.from('a face')]);
  for (let i = 0; i < count; i += 1) {
    const { status } = await enrolments.send(client, i);
    if (status !== 201) throw new Error(`an enrolment was answered ${status}`);
  }
}

export interface MillionOptions {
  readonly people: number;
  /** Enrolments before the delta. */
  readonly changes: number;
  /** Devices that are switched on together, while somebody enrols between any two of them. */
  readonly crowd: number;
  /** Speed of their lines. */
  readonly crowdBytesPerSecond: number;
}

export const MILLION: MillionOptions = { people: 1_000_000, changes: 100, crowd: 4, crowdBytesPerSecond: 12.5e6 };

export interface MillionResult {
  readonly options: MillionOptions;
  readonly list: ListCurve;
  /** Bytes of the first sync on the wire, by those of its records. */
  readonly overhead: number;
  readonly crowd: {
    /** Of the last device. */
    readonly ms: number;
    /** Above what the API held before it was asked for any list. */
    readonly apiGrowthBytes: number;
    readonly versions: number;
  };
  readonly failures: readonly string[];
}

const MAX_OVERHEAD = 1.02;
/** The API may take this many times the records' bytes for a crowd: with a pack for each device it would be more. */
const MAX_CROWD_GROWTH = 2;

const ASK_MS = 20;

async function isAnswered(service: BenchService, deviceId: string): Promise<boolean> {
  const [row] = await service.query('SELECT sync_counter FROM devices WHERE device_id = $1', [deviceId]);
  return Number(row?.sync_counter) > 0;
}

/** One list of a million people. @param say called with a line of progress */
export async function runMillion(options: MillionOptions, say: (line: string) => void): Promise<MillionResult> {
  const service = await startService({ inference: 'fake', workers: 1 });
  const client = new RawClient(service.url);
  try {
    say(`one list of ${options.people} people`);
    const idle = (await residentOf(service.apiPid())).now;
    const list = await measureList(service, options.people, options.changes);
    say(`first ${(list.first.ms / 1000).toFixed(1)} s, delta ${list.delta.ms.toFixed(0)} ms`);
    const [{ list_id: listId } = {}] = await service.query('SELECT list_id FROM lists');
    const devices = [];
    for (let i = 0; i < options.crowd; i += 1) {
      devices.push(await startDevice(service, String(listId), options.crowdBytesPerSecond));
    }
    const pid = service.apiPid();
    await forgetPeak(pid);
    const startedAt = performance.now();
    const syncs: Promise<OneSync>[] = [];
    for (const device of devices) {
      syncs.push(device.sync());
      // Its version is settled; its answer has just begun.
      while (!(await isAnswered(service, device.deviceId))) await sleep(ASK_MS);
      await enrol(service, client, String(listId), 1);
    }
    const done = await Promise.all(syncs);
    const versions = new Set(
      done.map(({ result }) => (result.ok && result.outcome !== 'wiped' ? result.listVersion : 0)),
    );
    const crowd = {
      ms: performance.now() - startedAt,
      apiGrowthBytes: (await residentOf(pid)).peak - idle,
      versions: versions.size,
    };
    await Promise.all(devices.map((device) => device.close()));
    const overhead = list.first.receivedBytes / (list.people * list.recordBytes);
    const failures: string[] = [];
    if (!(overhead <= MAX_OVERHEAD)) failures.push(`the first sync took ${overhead.toFixed(3)} of its records' bytes`);
    if (crowd.apiGrowthBytes > MAX_CROWD_GROWTH * list.people * list.recordBytes) {
      failures.push('the memory of the API grows with the devices that are switched on together');
    }
    return { options, list, overhead, crowd, failures };
  } finally {
    client.close();
    await service.close();
  }
}
