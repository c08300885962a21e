import { spawnSync } from 'node:child_process';
import { createECDH, randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { AddedDevice } from '@svc/protocol';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { parse } from 'yaml';
import { createList, enrolBody, enrolPerson } from '../testing/enrolment-fixture.ts';
import { createFakeInference } from '../testing/fake-inference.ts';
import { createManualClock, oneNodeOnly, startTestApi, type TestApi } from '../testing/test-api.ts';

const root = fileURLToPath(new URL('../../../../', import.meta.url));
const folder = join(root, 'deploy', 'monitoring');
const read = (...path: string[]) => readFileSync(join(folder, ...path), 'utf8');
const namesOf = (part: string) => readdirSync(join(folder, part)).sort();

interface Rule {
  readonly record?: string;
  readonly alert?: string;
  readonly expr: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}
interface Dashboard {
  readonly title: string;
  readonly panels: readonly {
    readonly title: string;
    readonly targets: readonly { readonly expr: string }[];
    readonly links: readonly { readonly url: string }[];
  }[];
}

const config: {
  readonly global: { readonly external_labels: object };
} = parse(read('prometheus.yaml'));
const rules = namesOf('rules').flatMap((name) => {
  const file: { readonly groups: readonly { readonly rules: readonly Rule[] }[] } = parse(read('rules', name));
  return file.groups.flatMap((group) => group.rules);
});
const dashboards = namesOf('grafana').map((name): Dashboard => JSON.parse(read('grafana', name)));
const panels = dashboards.flatMap((board) => board.panels);
const expressions = [
  ...panels.flatMap(({ title, targets }) => targets.map(({ expr }) => [title, expr] as const)),
  ...rules.map(({ record, alert, expr }) => [record ?? alert ?? '', expr] as const),
];

function seriesOf(page: string): Map<string, Record<string, string>[]> {
  const found = new Map<string, Record<string, string>[]>();
  for (const line of page.split('\n')) {
    const [, name, labels = ''] = /^([a-z_0-9]+)(?:\{(.*)\})? \S+$/.exec(line) ?? [];
    if (name === undefined) continue;
    const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, label, value]) => [label, value]);
    found.set(name, [...(found.get(name) ?? []), Object.fromEntries(pairs)]);
  }
  return found;
}

let api: TestApi;
let page: string;

/** A node that has done something of everything. */
beforeAll(async () => {
  const clock = createManualClock();
  const inference = createFakeInference();
  api = await startTestApi(
    inject('postgres'),
    { clock, createInference: () => inference },
    { ...oneNodeOnly('its metrics'), SVC_METRICS_PORT: '0', SVC_JOBS: 'on' },
  );
  const customer = await api.customer();
  const listId = await createList(customer);
  expect((await enrolPerson(listId, enrolBody(clock), customer)).status).toBe(201);
  inference.places = 0;
  expect((await enrolPerson(listId, enrolBody(clock, { personId: 'other' }), customer)).status).toBe(503);
  const { body } = await customer.request<AddedDevice>('POST', `/v1/lists/${listId}/devices`, {});
  const headers = {
    Authorization: `Bearer ${body.token}`,
    'Svc-Device-Key': createECDH('prime256v1').generateKeys('base64url', 'uncompressed'),
    'Svc-Nonce': randomBytes(16).toString('base64url'),
  };
  expect((await fetch(`${api.url}/v1/device/sync?since=0`, { headers })).status).toBe(200);
  global.gc?.();
  const scrape = async () => (await fetch(api.running.metricsUrl ?? '')).text();
  // The collector reports its pauses a moment later.
  await vi.waitUntil(async () => (await scrape()).includes('nodejs_gc_duration_seconds_sum{'), { timeout: 30_000 });
  page = await scrape();
});
afterAll(() => api.close());

describe('what panels and rules name', () => {
  it.each(expressions)('is in a real scrape: %s', (_where, expr) => {
    const known = new Set(['up', ...seriesOf(page).keys(), ...rules.flatMap(({ record }) => record ?? [])]);
    const metrics = [...expr.matchAll(/\b(?:svc[_:]|nodejs_|process_|up\b)[\w:]*/g)].map(([metric]) => metric);
    expect(metrics.filter((metric) => !known.has(metric))).toEqual([]);
  });

  it('has no label that a scrape gives to its target, and none that names anybody', () => {
    const own = new Set([...seriesOf(page).values()].flat().flatMap((labels) => Object.keys(labels)));
    expect(own).not.toContain('job');
    expect(own).not.toContain('instance');
    const known = ['code', 'kind', 'le', 'method', 'name', 'outcome', 'quantile', 'route', 'stage', 'state', 'status'];
    const ofProcess = ['major', 'minor', 'patch', 'space', 'type', 'version'];
    expect([...own].filter((label) => ![...known, ...ofProcess].includes(label))).toEqual([]);
  });
});

describe('alerts', () => {
  const alerts = rules.filter(({ alert }) => alert !== undefined);
  const headings = [...readFileSync(join(root, 'docs', 'monitoring.md'), 'utf8').matchAll(/^#{2,3} (.+)$/gm)].map(
    ([, heading = '']) => heading.toLowerCase().replaceAll(' ', '-'),
  );

  it.each(alerts.map((each) => [each.alert ?? '', each] as const))(
    '%s has a severity, texts, a runbook and a test',
    (name, rule) => {
      expect(Object.keys(rule.labels ?? {})).toEqual(['severity']);
      expect(['page', 'ticket']).toContain(rule.labels?.severity);
      expect(Object.keys(rule.annotations ?? {})).toEqual(['summary', 'description', 'runbook_url']);
      expect(rule.annotations?.runbook_url).toBe(`{{ $externalLabels.runbooks }}#${name.toLowerCase()}`);
      expect(headings).toContain(name.toLowerCase());
      expect(namesOf('tests').some((file) => read('tests', file).includes(`alertname="${name}"`))).toBe(true);
    },
  );

  it('and panels lead to sections of the runbooks', () => {
    const sections = panels.map(({ links }) => /^\$\{runbooks\}#(.+)$/.exec(links[0]?.url ?? '')?.[1]);
    expect(headings).toEqual(expect.arrayContaining(sections));
  });

  it('are all that the runbooks tell of', () => {
    const text = readFileSync(join(root, 'docs', 'monitoring.md'), 'utf8');
    const told = [...text.matchAll(/^### (\w+)$/gm)].map(([, heading]) => heading);
    expect(told.sort()).toEqual(alerts.map(({ alert }) => alert).sort());
    expect(Object.keys(config.global.external_labels)).toEqual(['runbooks']);
  });
});

const debian = join(root, '.tools', 'prometheus', 'usr', 'bin');
const program = (name: string) => (existsSync(join(debian, name)) ? join(debian, name) : name);
const hasPrometheus = spawnSync(program('promtool'), ['--version']).status === 0;
if (!hasPrometheus) process.stdout.write('skipped: no promtool (Debian’s package prometheus)\n');

describe.runIf(hasPrometheus)('promtool', () => {
  const promtool = (args: readonly string[], input?: string) => {
    const { status, stdout, stderr } = spawnSync(program('promtool'), args, { cwd: folder, encoding: 'utf8', input });
    return { status, output: `${stdout}${stderr}` };
  };

  it.each([
    ['the settings and the rules', ['check', 'config', 'prometheus.yaml']],
    ['the tests of the rules', ['test', 'rules', ...namesOf('tests').map((name) => join('tests', name))]],
  ])('accepts %s', (_what, args) => {
    expect(promtool(args)).toMatchObject({ status: 0 });
  });

  it('finds nothing to say about a scrape of ours', () => {
    const ours = page.split(/^(?=# HELP )/m).filter((block) => block.startsWith('# HELP svc_'));
    expect(promtool(['check', 'metrics'], ours.join(''))).toEqual({ status: 0, output: '' });
  });
});
