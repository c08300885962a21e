import { markdownTable } from '../research/markdown.ts';
import type { Machine } from '../speed/environment.ts';
import { duration } from '../speed/report.ts';
import type { CurvesResult, DeviceCurve, RoundCost } from './curves.ts';
import { AT_ONCE } from './fill.ts';
import { FLEET, type FleetResult, type Phase } from './fleet.ts';
import { type ListCurve, MILLION, type MillionResult } from './million.ts';
import { CAMPAIGN, type CampaignResult, type CampaignRound } from './payloads.ts';

/** The stored results of the scenarios. */
export interface LoadResults {
  readonly fleet: FleetResult & Machine;
  readonly million: MillionResult & Machine;
  readonly curves: CurvesResult & Machine;
  readonly payloads: CampaignResult & Machine;
}

/** Mean time between two syncs of a device: the SDK's interval and its random part. */
const SYNC_INTERVAL_S = 300 * 0.94;
/** After an outage of ten minutes devices are back within the last of their retries: 150 to 300 s. */
const SHORTEST_LAST_RETRY_S = 150;
/** Share of a core that a node's own thread may use in the usual state; the rest is for peaks. */
const USED = 0.6;
const PLANNED_DEVICES = 1_000_000;
const MB = 1e6;

const bytes = (value: number): string =>
  value < 1_000
    ? `${value} B`
    : value < MB
      ? `${(value / 1e3).toFixed(1)} kB`
      : `${(value / MB).toFixed(value < 1e7 ? 1 : 0)} MB`;
const whole = (value: number): string => Math.round(value).toLocaleString('en');
const ms = (value: number | null): string => (value === null ? '–' : duration(value));

/** What one node holds, and what a number of devices needs, if every sync costs this. */
export function plan(cost: Pick<RoundCost, 'apiProcessorMs' | 'databaseProcessorMs'>, devices: number) {
  const perSecond = devices / SYNC_INTERVAL_S;
  const busiest = devices / SHORTEST_LAST_RETRY_S;
  const core = 1000 / cost.apiProcessorMs;
  return {
    perSecond,
    busiest,
    /** Devices of one node with one core for its own thread. */
    devicesOfNode: USED * core * SYNC_INTERVAL_S,
    /** Enough for the usual state and, at a full core, for the return from an outage. */
    nodes: Math.ceil(Math.max(perSecond / (USED * core), busiest / core)),
    databaseCores: cost.databaseProcessorMs === null ? null : (perSecond * cost.databaseProcessorMs) / 1000 / USED,
  };
}

const phaseNames: Readonly<Record<Phase['name'], string>> = {
  ramp: 'switched on',
  steady: 'steady',
  outage: 'the service is down',
  recovery: 'back',
};

const fleetTable = (phases: readonly Phase[]): string =>
  markdownTable(
    [
      [
        ...['Phase', 'seconds', 'syncs', 'busiest second', 'p50', 'p99', 'longest', 'oldest copy', 'enrolments'],
        'API, memory first – last (most)',
        'processor a second: API, database, load',
      ],
      ...phases.map((phase) => {
        const { processorMs: used, seconds } = phase;
        const cpu = (value: number | null) => (value === null ? '–' : `${(value / 10 / seconds).toFixed(0)} %`);
        const enrolments = Object.entries(phase.enrolments).map(([status, times]) => `${times} × ${status}`);
        return [
          phaseNames[phase.name],
          seconds.toFixed(0),
          whole(phase.syncs),
          String(phase.busiestSecond),
          ...(phase.syncs === 0 ? ['', '', ''] : [phase.p50Ms, phase.p99Ms, phase.longestMs].map(duration)),
          `${(phase.oldestMs / 1000).toFixed(0)} s`,
          enrolments.join(', '),
          phase.residentMostBytes === 0
            ? ''
            : `${bytes(phase.residentFirstBytes)} – ${bytes(phase.residentLastBytes)} (${bytes(phase.residentMostBytes)})`,
          [cpu(used.api), cpu(used.database), cpu(used.load)].join(', '),
        ];
      }),
    ],
    true,
  );

const peopleTable = (curves: readonly ListCurve[]): string =>
  markdownTable(
    [
      [
        ...['People', 'first sync', 'on the wire, by its records', 'API', 'database', 'API grows by'],
        ...['device grows by, keeps', 'without news', 'a delta', 'its bytes', 'API', 'database'],
      ],
      ...curves.map(({ people, recordBytes, first, unchanged, changes, delta }) => [
        whole(people),
        duration(first.ms),
        `${bytes(first.receivedBytes)}, ${(first.receivedBytes / (people * recordBytes)).toFixed(4)}`,
        ms(first.apiProcessorMs),
        ms(first.databaseProcessorMs),
        bytes(first.apiGrowthBytes),
        `${bytes(first.deviceGrowthBytes)}, ${bytes(first.deviceKeptBytes)}`,
        duration(unchanged.ms),
        `${duration(delta.ms)} (${changes} people)`,
        bytes(delta.receivedBytes),
        ms(delta.apiProcessorMs),
        ms(delta.databaseProcessorMs),
      ]),
    ],
    true,
  );

const deviceTable = (curves: readonly DeviceCurve[]): string => {
  const cost = ({ apiProcessorMs, databaseProcessorMs }: RoundCost) =>
    `${ms(apiProcessorMs)}, ${ms(databaseProcessorMs)}`;
  return markdownTable(
    [
      [
        ...['Devices', 'lists', 'first sync: API, database', 'without news', 'with news', 'p99 without news'],
        'API’s memory',
      ],
      ...curves.map(({ devices, lists, first, unchanged, delta, apiResidentBytes }) => [
        whole(devices),
        whole(lists),
        ...[first, unchanged, delta].map(cost),
        duration(unchanged.p99Ms),
        bytes(apiResidentBytes),
      ]),
    ],
    true,
  );
};

function planTable({ unchanged, delta }: DeviceCurve): string {
  const planned = (name: string, cost: RoundCost) => {
    const { devicesOfNode, nodes, perSecond, databaseCores } = plan(cost, PLANNED_DEVICES);
    return [name, whole(devicesOfNode), String(nodes), whole(perSecond), databaseCores?.toFixed(1) ?? '–'];
  };
  const nodesFor = `nodes for ${whole(PLANNED_DEVICES)}`;
  return markdownTable(
    [
      ['If there is', 'devices of one node', nodesFor, 'syncs a second', 'cores of the database'],
      planned('nothing new at any sync', unchanged),
      planned('something new at every sync', delta),
    ],
    true,
  );
}

function campaignTable({ whole: lists, changes }: CampaignResult): string {
  const row = (name: string, { cache, ...round }: CampaignRound) => [
    ...[name, `${round.seconds.toFixed(0)} s`, bytes(round.receivedBytes), bytes(round.nodeBytes)],
    ...[ms(round.apiProcessorMs), ms(round.databaseProcessorMs), ms(cache?.processorMs ?? null)],
    cache === null ? '–' : `${whole(cache.hits)} of ${whole(cache.hits + cache.misses)}`,
  ];
  return markdownTable(
    [
      ['Sync', 'took', 'to the devices', 'from the node', 'API', 'database', 'Varnish', 'answered by it'],
      row('whole lists, without a cache', lists.plain),
      ...(lists.cached === null ? [] : [row('whole lists, through Varnish', lists.cached)]),
      row('changes, without a cache', changes.plain),
      ...(changes.cached === null ? [] : [row('changes, through Varnish', changes.cached)]),
    ],
    true,
  );
}

const verdictLines = (name: string, failures: readonly string[]): string[] =>
  failures.length === 0
    ? [`- ${name}: every bar reached.`]
    : failures.map((failure) => `- ${name}: **missed**: ${failure}.`);

/** docs/capacity.md. @throws Error if a curve is missing */
export function renderCapacity({ fleet, million, curves, payloads }: LoadResults): string {
  const largest = curves.devices.at(-1);
  if (largest === undefined) throw new Error('no curve of devices');
  const { options } = fleet;
  const isWhole = options.speed === 1 && options.devices === FLEET.devices && million.options.people === MILLION.people;
  const seconds = (value: number | null) => (value === null ? 'not in time' : `${(value / 1000).toFixed(0)} s`);
  return `# Capacity: what a node holds

<!-- Written by \`npm run load\`: change benchmarks/load/capacity.ts. -->

\`npm run load\` starts PostgreSQL, one node and the devices on one machine, measures, and writes this page; it ends with 1 if a bar
is missed. \`npm run load -- fleet\`, \`million\`, \`curves\` or \`payloads\` runs one part; with other numbers than the defaults (\`--devices 300 --minutes 1
--outage 1\`) nothing is written.

- **Machine**: ${fleet.machine}, ${fleet.date}; Node ${fleet.versions.node ?? ''}. PostgreSQL (without fsync), node and devices share its
  cores, so the times are of a machine that does everything at once.${isWhole ? '' : `\n- **Smaller than a measurement**: the numbers below are those of a short run, with the devices’ timers and the minutes ${options.speed} times as fast.`}
- **Devices** are the SDK's own, with their schedule and all checks of [sync.md](sync.md); only the disk is memory, and the engine recognises nobody. Each
  sync is a TCP connection of its own, without TLS. One account has all lists.
- **People** of the start are rows that SQL wrote; those who come later are enrolled by the API, in the fleet with photos and the real engine (one worker).

${verdictLines('Fleet', fleet.failures).join('\n')}
${verdictLines('Million', million.failures).join('\n')}
${verdictLines('Payloads', payloads.failures).join('\n')}

## A fleet and an outage

${whole(options.devices)} devices of ${whole(options.lists)} lists with ${options.people} people each, switched on within ${options.rampMinutes} minutes;
${options.enrolmentsPerSecond} enrolments a second beside them, whatever happens. Then the node is killed (SIGKILL) for ${options.outageMinutes} minutes and started again with
empty caches. The organisers' servers then send what had no answer, so that most lists have changed when the devices come back.

${fleetTable(fleet.phases)}

«Oldest copy» is the time since the request for the oldest copy that any device held. After the outage 99 of 100 devices were fresh within
${seconds(fleet.mostFreshMs)}, all of them within ${seconds(fleet.allFreshMs)}, both from when the node was started. At the end ${whole(fleet.asked)} devices were asked for version and
number of people: ${fleet.wrong} differed from the database.

## One list of a million people

The first sync of ${whole(million.list.people)} people is ${bytes(million.list.first.receivedBytes)} on the wire, ${million.overhead.toFixed(4)} of its records' bytes, in ${duration(million.list.first.ms)}. The node grows by
${bytes(million.list.first.apiGrowthBytes)} meanwhile, the device (files on disk, \`@svc/device-sdk-node\`) by ${bytes(million.list.first.deviceGrowthBytes)}, and it keeps ${bytes(million.list.first.deviceKeptBytes)}. A delta of ${million.list.changes} people
is ${bytes(million.list.delta.receivedBytes)} in ${duration(million.list.delta.ms)}. ${million.options.crowd} devices that are switched on together, with an enrolment between any two of them (so each gets
a version of its own) over lines of ${bytes(million.options.crowdBytesPerSecond)} a second, have their lists after ${duration(million.crowd.ms)}; the node then holds at most ${bytes(million.crowd.apiGrowthBytes)} more than
when it was idle, for ${million.crowd.versions} versions. Such a device needs
\`maxSyncBytes\` above its default of 256 MiB.

## A campaign through a cache

\`npm run load -- payloads\` with \`--devices ${payloads.options.devices} --people ${payloads.options.people}\`, ${payloads.date}: ${whole(payloads.options.devices)} devices of ${whole(payloads.options.lists)} lists with ${whole(payloads.options.people)}
people together sync whole, then ${payloads.options.changes} people come to each list and all sync again; each without a cache and through
${payloads.varnish === null ? '**no cache, as Varnish was not installed**' : `Varnish ${payloads.varnish} with [svc.vcl](../deploy/varnish/svc.vcl)`}, ${AT_ONCE} syncs at a time, the node just started. One process sends what devices send and checks the
payloads' hashes; the SDK's other checks are left out. Processor times are of the whole round, the node's bytes those to devices and to the cache.
**Scaled**: ${whole(payloads.options.devices / payloads.options.lists)} devices a list${payloads.options.devices === CAMPAIGN.devices ? '' : `, and a campaign of ${whole(CAMPAIGN.devices)} devices and ${whole(CAMPAIGN.people)} people by ${whole(CAMPAIGN.devices / payloads.options.devices)}`}, on a machine with other work. What a list's further devices fetch, the cache answers alone.

${campaignTable(payloads)}

Afterwards a revoked device, the devices of a deleted list and a link that had expired got 404 for news that the cache did not hold, and the first two a wipe.

## Growth with people

One list, one device in a process of its own.

${peopleTable([...curves.people, million.list])}

## Growth with devices

Ten devices a list, 200 people each; processor time of one sync, of all threads of the API and of all processes of the database.

${deviceTable(curves.devices)}

## On paper

From the row of ${whole(largest.devices)} devices. A device syncs every ${SYNC_INTERVAL_S} s on average. A node's own thread is one core, of which a plan uses ${USED * 100} %, and all of it
for some minutes after an outage (${whole(plan(largest.unchanged, PLANNED_DEVICES).busiest)} syncs a second of a million). Enrolments come on top ([operations.md](operations.md#capacity)). The database's
cores are for one server; [accounts may be spread](operations.md#a-database-spread-by-account) over several.

${planTable(largest)}
`;
}
