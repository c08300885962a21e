import { markdownTable, wrapped } from '../research/markdown.ts';
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
  outage: 'down',
  recovery: 'back',
};

const fleetTable = (phases: readonly Phase[]): string =>
  markdownTable(
    [
      [
        ...['Phase', 's', 'syncs', 'peak/s', 'p50', 'p99', 'longest', 'oldest copy', 'enrolments'],
        'API memory',
        'API, database, load',
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
        ...['People', 'first sync', 'received, ratio', 'API', 'database', 'API grows'],
        ...['device grows, keeps', 'no news', 'delta', 'bytes', 'API', 'database'],
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
        `${duration(delta.ms)} (${changes})`,
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
      [...['Devices', 'lists', 'first sync', 'no news', 'news', 'p99, no news', 'API memory']],
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
      ['Every sync has', 'devices per node', nodesFor, 'syncs/s', 'database cores'],
      planned('no news', unchanged),
      planned('news', delta),
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
      ['Sync', 'took', 'to devices', 'from the node', 'API', 'database', 'Varnish', 'answered by Varnish'],
      row('whole lists, no cache', lists.plain),
      ...(lists.cached === null ? [] : [row('whole lists, Varnish', lists.cached)]),
      row('changes, no cache', changes.plain),
      ...(changes.cached === null ? [] : [row('changes, Varnish', changes.cached)]),
    ],
    true,
  );
}

const verdictLines = (name: string, failures: readonly string[]): string[] =>
  failures.length === 0
    ? [`- \`${name}\`: every target reached.`]
    : failures.map((failure) => `- \`${name}\`: **missed**: ${failure}.`);

/** docs/operate/capacity.md. @throws Error if a curve is missing */
export function renderCapacity({ fleet, million, curves, payloads }: LoadResults): string {
  const largest = curves.devices.at(-1);
  if (largest === undefined) throw new Error('no curve of devices');
  const { options } = fleet;
  const isWhole = options.speed === 1 && options.devices === FLEET.devices && million.options.people === MILLION.people;
  const seconds = (value: number | null) => (value === null ? 'not in time' : `${(value / 1000).toFixed(0)} s`);
  return wrapped(`# Capacity: what a node holds

<!-- Written by \`npm run load\`: change benchmarks/load/capacity.ts. -->

\`npm run load\` writes this page and exits with 1 if a target is missed. \`npm run load -- fleet\`, \`million\`, \`curves\` or
\`payloads\` runs one part.

- **Machine**: ${fleet.machine}, ${fleet.date}; Node.js ${fleet.versions.node ?? ''}. PostgreSQL (without fsync), the
node (running copy of the service) and the simulated devices share this machine.${isWhole ? '' : `\n- **Smaller than a measurement**: a short run, with the devices’ timers and the minutes ${options.speed} times as fast.`}
- **Devices** run the SDK with [all its checks](../internals/sync.md), but keep files in memory and recognise nobody. Each
sync opens a TCP connection without TLS. All lists are of one account.
- **People**: SQL inserts the first ones. Later ones enrol by API; in the fleet, with photos and the real engine (one worker).
${verdictLines('fleet', fleet.failures).join('\n')}
${verdictLines('million', million.failures).join('\n')}
${verdictLines('payloads', payloads.failures).join('\n')}

## A fleet and an outage

${whole(options.devices)} devices of ${whole(options.lists)} lists with ${options.people} people each are switched on within
${options.rampMinutes} minutes. ${options.enrolmentsPerSecond} enrolments a second arrive throughout. Then the node is killed (SIGKILL), and restarts after ${options.outageMinutes} minutes with empty caches. The organisers' servers resend failed enrolments, so most lists change. Oldest copy: greatest age of a list on a device. Enrolments: by HTTP status. API memory: start – end (peak). Last column: share of a core; “load” plays the devices.

${fleetTable(fleet.phases)}

99 % of devices had synced ${seconds(fleet.mostFreshMs)} after the restart, all after ${seconds(fleet.allFreshMs)}. Of ${whole(fleet.asked)} devices checked, ${fleet.wrong} had a wrong list.

## One list of a million people

[The last row of “Growth with people”](#growth-with-people) is one device that stores ${whole(million.list.people)}
people in files on disk (\`@svc/device-sdk-node\`). We also started ${million.options.crowd} devices, limited to
${bytes(million.options.crowdBytesPerSecond)} a second each. We changed the list after each device's request, so they got ${million.crowd.versions} versions. All were done after ${duration(million.crowd.ms)}. The node took at most ${bytes(million.crowd.apiGrowthBytes)} more memory than when idle. Such a large list needs \`maxSyncBytes\` above the default of 256 MiB.

## Syncs through a cache

Measured by \`npm run load -- payloads\` on ${payloads.date}.
${whole(payloads.options.devices)} devices of ${whole(payloads.options.lists)} lists, with ${whole(payloads.options.people)} people in all, sync whole lists. Then
each list gets ${payloads.options.changes} more people, and the devices sync these changes. Both are measured without a cache and through
${payloads.varnish === null ? '**no cache, as Varnish was not installed**' : `Varnish ${payloads.varnish} with [svc.vcl](../../deploy/varnish/svc.vcl)`}.
${AT_ONCE} devices sync at a time. One process plays all devices and checks only hashes. **Limits**: only
${whole(payloads.options.devices / payloads.options.lists)} devices per list${payloads.options.devices === CAMPAIGN.devices ? '' : `, and a campaign of ${whole(CAMPAIGN.devices)} devices and ${whole(CAMPAIGN.people)} people divided by ${whole(CAMPAIGN.devices / payloads.options.devices)}`},
on a machine with other work. API, database and Varnish: processor time.

${campaignTable(payloads)}

If the device was revoked, the list deleted or the link expired, download links got 404. Varnish still served responses that it held.

## Growth with people

One list and one device. Received: bytes, and their ratio to the records' bytes. API, database: processor time.
Grows: memory that the sync took; keeps: what it did not free. No news: unchanged list. Last four columns: sync after (n) enrolments.

${peopleTable([...curves.people, million.list])}

## Growth with devices

Each list has ten devices and 200 people. Cells: processor time of one sync (API, database). News: the list has changed.

${deviceTable(curves.devices)}

## Calculated for a million devices

These numbers follow from the row of ${whole(largest.devices)} devices. A device syncs every ${SYNC_INTERVAL_S} s on average. A node's main thread runs on one core: plan to use ${USED * 100} % of that core. After an outage, a million devices sync
${whole(plan(largest.unchanged, PLANNED_DEVICES).busiest)} times a second. Each node then needs its whole core. [Enrolments](operations.md#capacity) come on top. The database is one server, but you can
[distribute its tables](operations.md#tables-on-several-servers).

${planTable(largest)}
`);
}
