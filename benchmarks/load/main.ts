/**
 * `npm run load [-- fleet|million|curves|payloads] [--devices N …]`: plays devices at a service of its own, judges what it
 * measures, and with the default numbers writes docs/operate/capacity.md.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { describeMachine } from '../speed/environment.ts';
import { formatResult, resultsFolder } from '../speed/results.ts';
import { renderCapacity } from './capacity.ts';
import { CURVES, runCurves } from './curves.ts';
import { FLEET, type FleetOptions, runFleet } from './fleet.ts';
import { MILLION, runMillion } from './million.ts';
import { CAMPAIGN, runPayloads } from './payloads.ts';

const folder = join(resultsFolder, 'load');
const page = fileURLToPath(new URL('../../docs/operate/capacity.md', import.meta.url));
const scenarios = ['fleet', 'million', 'curves', 'payloads'] as const;
type Scenario = (typeof scenarios)[number];

/** Each option, and the number of the fleet that it replaces. */
const numbers = {
  devices: 'devices',
  people: 'people',
  minutes: 'steadyMinutes',
  outage: 'outageMinutes',
} as const satisfies Record<string, keyof FleetOptions>;
type NumberName = keyof typeof numbers;

const say = (line: string) => process.stdout.write(`load: ${line}\n`);
const fileOf = (name: Scenario) => join(folder, `${name}.json`);

class UsageError extends Error {}

function readArguments() {
  const names = Object.keys(numbers) as NumberName[];
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: Object.fromEntries(names.map((name) => [name, { type: 'string' as const }])),
  });
  const unknown = positionals.filter((name) => !(scenarios as readonly string[]).includes(name));
  if (unknown.length > 0) throw new UsageError(`unknown: ${unknown.join(', ')}; there are ${scenarios.join(', ')}`);
  const given = new Map<NumberName, number>();
  for (const name of names) {
    if (values[name] === undefined) continue;
    const value = Number(values[name]);
    if (!(value > 0)) throw new UsageError(`--${name} takes a number above zero`);
    given.set(name, value);
  }
  const chosen = positionals.length === 0 ? scenarios : scenarios.filter((name) => positionals.includes(name));
  return { chosen, given };
}

function fleetOptions(given: ReadonlyMap<NumberName, number>): FleetOptions {
  const replaced = Object.fromEntries([...given].map(([name, value]) => [numbers[name], value]));
  const devices = given.get('devices') ?? FLEET.devices;
  const lists = Math.max(1, Math.round(devices / (FLEET.devices / FLEET.lists)));
  return { ...FLEET, lists, ...replaced };
}

async function main(): Promise<number> {
  const { chosen, given } = readArguments();
  const isMeasurement = given.size === 0;
  const devices = given.get('devices');
  const people = given.get('people');
  const runs = {
    fleet: () => runFleet(fleetOptions(given), say),
    million: () => runMillion({ ...MILLION, people: people ?? MILLION.people }, say),
    curves: () =>
      runCurves(
        {
          ...CURVES,
          people: CURVES.people.filter((size) => size <= (people ?? Number.POSITIVE_INFINITY)),
          devices: CURVES.devices.filter((size) => size <= (devices ?? Number.POSITIVE_INFINITY)),
        },
        say,
      ),
    payloads: () =>
      runPayloads(
        {
          ...CAMPAIGN,
          ...{ devices: devices ?? CAMPAIGN.devices, people: people ?? CAMPAIGN.people },
          lists: Math.max(3, Math.round((devices ?? CAMPAIGN.devices) / (CAMPAIGN.devices / CAMPAIGN.lists))),
        },
        say,
      ),
  };
  let failed = false;
  for (const name of chosen) {
    const startedAt = performance.now();
    const result = await runs[name]();
    const text = formatResult({ ...describeMachine(), ...result });
    if (isMeasurement) {
      mkdirSync(folder, { recursive: true });
      writeFileSync(fileOf(name), text);
    } else process.stdout.write(text);
    for (const failure of result.failures) say(`${name}: missed: ${failure}`);
    const minutes = ((performance.now() - startedAt) / 60_000).toFixed(1);
    say(`${name}: ${result.failures.length === 0 ? 'every bar reached' : 'FAILED'}, ${minutes} minutes`);
    failed ||= result.failures.length > 0;
  }
  if (isMeasurement && scenarios.every((name) => existsSync(fileOf(name)))) {
    const [fleet, million, curves, payloads] = scenarios.map((name) => JSON.parse(readFileSync(fileOf(name), 'utf8')));
    writeFileSync(page, renderCapacity({ fleet, million, curves, payloads }));
    say(`written: ${page}`);
  }
  return failed ? 1 : 0;
}

process.exitCode = await main().catch((error: unknown) => {
  if (!(error instanceof UsageError) && (error as { code?: string }).code !== 'ERR_PARSE_ARGS_UNKNOWN_OPTION')
    throw error;
  process.stderr.write(`load: ${(error as Error).message}\n`);
  return 2;
});
