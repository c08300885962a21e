import type { CheckInDevice } from '@svc/device-sdk';
import type { AddedDevice } from '@svc/protocol';
import { quantile } from '../inputs/summary.ts';
import { createEnrolments } from '../speed/service/enrolments.ts';
import { each } from '../speed/service/pace.ts';
import { RawClient } from '../speed/service/raw-client.ts';
import { type BenchService, startService } from '../speed/service/start-service.ts';
import { createDoor, SharedPacks } from './door-device.ts';
import { addLists, AT_ONCE as CALLS_AT_ONCE, fillPeople } from './fill.ts';
import { type ListCurve, measureList } from './million.ts';
import { residentOf } from './resident.ts';

/** Syncs of many devices, some at a time: the cost of one. */
export interface RoundCost {
  readonly p99Ms: number;
  readonly apiProcessorMs: number;
  readonly databaseProcessorMs: number | null;
}

/** A number of devices on one node. */
export interface DeviceCurve {
  readonly devices: number;
  readonly lists: number;
  /** Each list whole. */
  readonly first: RoundCost;
  readonly unchanged: RoundCost;
  /** After one enrolment in every list. */
  readonly delta: RoundCost;
  readonly apiResidentBytes: number;
}

export interface CurvesOptions {
  readonly people: readonly number[];
  readonly devices: readonly number[];
  /** Enrolments before a delta. */
  readonly changes: number;
}

export const CURVES: CurvesOptions = { people: [1_000, 10_000, 100_000], devices: [100, 1_000, 10_000], changes: 10 };

export interface CurvesResult {
  readonly options: CurvesOptions;
  readonly people: readonly ListCurve[];
  readonly devices: readonly DeviceCurve[];
  readonly failures: readonly string[];
}

const DEVICES_A_LIST = 10;
const PEOPLE_A_LIST = 200;
/** Requests at one time: few enough that none waits long for another. */
const AT_ONCE = 8;
/** A round of few devices is repeated until it has so many syncs. */
const MIN_SYNCS = 1_000;

interface Held {
  readonly device: CheckInDevice;
  readonly listId: string;
}

async function measureDevices(service: BenchService, count: number): Promise<DeviceCurve> {
  const lists = Math.max(1, Math.round(count / DEVICES_A_LIST));
  const listIds = await addLists(service, lists);
  await fillPeople(service, listIds, PEOPLE_A_LIST);
  const [epoch] = await service.query('SELECT engine_id FROM list_epochs LIMIT 1');
  const shared = new SharedPacks();
  const region = { baseUrl: service.url, signingKeys: [service.signingKey] };
  let tookMs: number[] = [];
  const held: Held[] = await each(count, CALLS_AT_ONCE, async (i) => {
    const listId = listIds[i % lists] ?? '';
    const { token } = await service.call<AddedDevice>('POST', `/v1/lists/${listId}/devices`, {});
    const device = await createDoor({
      ...{ token, region, shared, speed: 1, engineId: String(epoch?.engine_id) },
      onExchange: (exchange) => tookMs.push(exchange.tookMs),
      onSync: () => undefined,
    });
    return { device, listId };
  });

  async function round(outcome: 'updated' | 'unchanged', times = 1): Promise<RoundCost> {
    tookMs = [];
    const before = await service.processorMs();
    await each(count * times, AT_ONCE, async (i) => {
      const result = await (held[i % count] as Held).device.syncAsync();
      if (!result.ok || result.outcome !== outcome) throw new Error(`a sync came to ${JSON.stringify(result)}`);
    });
    const after = await service.processorMs();
    const syncs = count * times;
    return {
      p99Ms: quantile(tookMs, 0.99),
      apiProcessorMs: (after.api - before.api) / syncs,
      databaseProcessorMs:
        after.database === null || before.database === null ? null : (after.database - before.database) / syncs,
    };
  }

  const client = new RawClient(service.url);
  try {
    const first = await round('updated');
    const unchanged = await round('unchanged', Math.ceil(MIN_SYNCS / count));
    const enrolments = createEnrolments(service, '', [Buffer.from('a face')]);
    for (const [i, listId] of listIds.entries()) await enrolments.send(client, i, listId);
    const delta = await round('updated');
    const { now } = await residentOf(service.apiPid());
    return { devices: count, lists, first, unchanged, delta, apiResidentBytes: now };
  } finally {
    client.close();
    await Promise.all(held.map(({ device }) => device.dispose()));
  }
}

/** How the costs grow with people and with devices. @param say called with a line of progress */
export async function runCurves(options: CurvesOptions, say: (line: string) => void): Promise<CurvesResult> {
  const people: ListCurve[] = [];
  const devices: DeviceCurve[] = [];
  for (const size of options.people) {
    const service = await startService({ inference: 'fake', workers: 1 });
    try {
      // V8 compiles what a list of any size needs.
      await measureList(service, 200, options.changes);
      people.push(await measureList(service, size, options.changes));
    } finally {
      await service.close();
    }
    say(
      `${size} people: first ${people.at(-1)?.first.ms.toFixed(0)} ms, delta ${people.at(-1)?.delta.ms.toFixed(0)} ms`,
    );
  }
  for (const size of options.devices) {
    const service = await startService({ inference: 'fake', workers: 1 });
    try {
      await measureDevices(service, 50);
      devices.push(await measureDevices(service, size));
    } finally {
      await service.close();
    }
    say(`${size} devices: ${devices.at(-1)?.unchanged.apiProcessorMs.toFixed(2)} ms of the API a sync without news`);
  }
  return { options, people, devices, failures: [] };
}
