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
interface Panel {
  readonly type: string;
  readonly title: string;
  readonly description: string;
  readonly datasource: unknown;
  readonly gridPos: { readonly h: number; readonly w: number; readonly x: number; readonly y: number };
  readonly targets: readonly { readonly refId: string; readonly expr: string; readonly legendFormat: string }[];
  readonly fieldConfig: { readonly defaults: { readonly unit: string } };
  readonly links: readonly { readonly url: string }[];
}
interface Dashboard {
  readonly uid: string;
  readonly title: string;
  readonly schemaVersion: number;
  readonly templating: { readonly list: readonly { readonly name: string; readonly type: string }[] };
  readonly panels: readonly Panel[];
}

const config: {
  readonly scrape_configs: readonly [{ readonly job_name: string }];
  readonly global: { readonly external_labels: object };
} = parse(read('prometheus.yaml'));
const rules = namesOf('rules').flatMap((name) => {
  const file: { readonly groups: readonly { readonly rules: readonly Rule[] }[] } = parse(read('rules', name));
  return file.groups.flatMap((group) => group.rules);
});
const dashboards = namesOf('grafana').map((name): Dashboard => JSON.parse(read('grafana', name)));
const queries = dashboards.flatMap(({ title, panels }) =>
  panels.flatMap((panel) => panel.targets.map(({ expr }) => ({ where: `${title}: ${panel.title}`, expr }))),
);
/** Grafana's variables as values. */
const asked = (expr: string) => expr.replaceAll('$__rate_interval', '5m').replaceAll('$instance', '.*');
const expressions = [
  ...queries.map(({ where, expr }) => [where, asked(expr)] as const),
  ...rules.map(({ record, alert, labels, expr }) => [`${record ?? alert} ${labels?.slo ?? ''}`, expr] as const),
];

/** Series by metric, each as its labels. */
type Series = ReadonlyMap<string, readonly Readonly<Record<string, string>>[]>;

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

interface Selector {
  readonly metric: string;
  readonly matchers: readonly { readonly label: string; readonly operator: string; readonly value: string }[];
}

/** The selectors and the labels of groupings of an expression; promtool tells whether it is PromQL. */
function readExpression(expr: string) {
  const selectors = [...expr.matchAll(/\b((?:svc[_:]|nodejs_|process_|up\b)[\w:]*)(?:\{([^}]*)\})?/g)].map(
    ([, metric = '', braces = '']): Selector => ({
      metric,
      matchers: [...braces.matchAll(/(\w+)\s*([=!]~|!?=)\s*("(?:[^"\\]|\\.)*")/g)].map(
        ([, label = '', operator = '', value = '']) => ({ label, operator, value: JSON.parse(value) as string }),
      ),
    }),
  );
  const groupings = [...expr.matchAll(/\b(?:by|without|on|ignoring)\s*\(([^)]*)\)/g)].flatMap(([, labels = '']) =>
    labels.split(',').map((label) => label.trim()),
  );
  return { selectors, groupings };
}

const isChosen = (value: string, operator: string, wanted: string) => {
  const matches = operator.includes('~') ? new RegExp(`^(?:${wanted})$`).test(value) : value === wanted;
  return operator.startsWith('!') ? !matches : matches;
};

/** What a selector names and the series do not have; null when it selects some. */
function missing({ metric, matchers }: Selector, series: Series): string | null {
  let left = series.get(metric);
  if (left === undefined) return metric;
  for (const { label, operator, value } of matchers) {
    if (!left.some((labels) => label in labels)) return `${metric}: label ${label}`;
    left = left.filter((labels) => isChosen(labels[label] ?? '', operator, value));
    if (left.length === 0) return `${metric}: ${label}${operator}"${value}"`;
  }
  return null;
}

let api: TestApi;
let page: string;
let series: Map<string, Record<string, string>[]>;

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
  series = seriesOf(page);
  const { job_name: job } = config.scrape_configs[0];
  series.set('up', [{}]);
  for (const { record, labels } of rules)
    if (record !== undefined) series.set(record, [...(series.get(record) ?? []), { ...labels }]);
  // Those of longer windows are made of these, with their labels.
  const objectives = series.get('svc:slo_all:rate5m') ?? [];
  for (const name of series.keys()) if (name.startsWith('svc:slo_')) series.set(name, objectives);
  for (const all of series.values()) for (const labels of all) Object.assign(labels, { job, instance: 'node' });
});
afterAll(() => api.close());

describe('what panels and rules name', () => {
  it.each(expressions)('is in a real scrape: %s', (_where, expr) => {
    const { selectors, groupings } = readExpression(expr);
    expect(selectors.map((selector) => missing(selector, series)).filter((each) => each !== null)).toEqual([]);
    const labels = new Set(
      selectors.flatMap(({ metric }) => (series.get(metric) ?? []).flatMap((each) => Object.keys(each))),
    );
    expect(groupings.filter((label) => !labels.has(label))).toEqual([]);
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

  it('are all that the runbooks tell of', () => {
    const text = readFileSync(join(root, 'docs', 'monitoring.md'), 'utf8');
    const told = [...text.matchAll(/^### (\w+)$/gm)].map(([, heading]) => heading);
    expect(told.sort()).toEqual(alerts.map(({ alert }) => alert).sort());
    expect(Object.keys(config.global.external_labels)).toEqual(['runbooks']);
  });

  it.each(dashboards.map((each) => [each.uid, each] as const))(
    'dashboard %s can be imported and read',
    (uid, board) => {
      expect(uid.length).toBeLessThanOrEqual(40);
      expect(board.schemaVersion).toBe(39);
      expect(board).not.toHaveProperty('id');
      expect(board.templating.list[0]).toMatchObject({ name: 'datasource', type: 'datasource', query: 'prometheus' });
      expect(new Set(board.panels.map(({ title }) => title)).size).toBe(board.panels.length);
      for (const { title, description, datasource, gridPos, targets, fieldConfig, links } of board.panels) {
        // biome-ignore lint/suspicious/noTemplateCurlyInString: Grafana's variable
        expect(datasource, title).toEqual({ type: 'prometheus', uid: '${datasource}' });
        expect(description, title).toMatch(/^\S.+\.$/);
        expect(fieldConfig.defaults.unit, title).toMatch(/^[a-z]+$/);
        expect(gridPos.x + gridPos.w, title).toBeLessThanOrEqual(24);
        expect(targets.map(({ refId }) => refId)).toEqual(targets.map((_each, i) => String.fromCharCode(65 + i)));
        for (const { legendFormat } of targets) expect(legendFormat, title).not.toBe('');
        const [, section = ''] = /^\$\{runbooks\}#(.+)$/.exec(links[0]?.url ?? '') ?? [];
        expect(headings, title).toContain(section);
      }
    },
  );
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
