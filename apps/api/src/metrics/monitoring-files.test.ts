import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { createMetrics } from './metrics.ts';

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
const { dashboards }: { dashboards: readonly Dashboard[] } = await import(join(root, 'scripts/package/dashboards.mjs'));
const panels = dashboards.flatMap((board) => board.panels);
const expressions = [
  ...panels.flatMap(({ title, targets }) => targets.map(({ expr }) => [title, expr] as const)),
  ...rules.map(({ record, alert, expr }) => [record ?? alert ?? '', expr] as const),
];

const metrics = createMetrics();
metrics.watch({
  inference: () => ({ places: 0, taken: 0, waiting: 0 }),
  databasePool: () => ({ used: 0, free: 0, waiting: 0 }),
  readiness: { lack: () => Promise.resolve(null), startSeconds: () => 3 },
});
metrics.watchProcess();
const page = await metrics.render();

describe('what panels and rules name', () => {
  it.each(expressions)('is served: %s', (_where, expr) => {
    const served = [...page.matchAll(/^# HELP (\S+) /gm)].map(([, name]) => name);
    const known = new Set(['up', ...served, ...rules.flatMap(({ record }) => record ?? [])]);
    const named = [...expr.matchAll(/\b(?:svc[_:]|nodejs_|process_|up\b)[\w:]*/g)].map(([metric]) => metric);
    const isKnown = (metric: string) => known.has(metric) || known.has(metric.replace(/_(bucket|sum|count)$/, ''));
    expect(named.filter((metric) => !isKnown(metric))).toEqual([]);
  });
});

describe('alerts', () => {
  const alerts = rules.filter(({ alert }) => alert !== undefined);
  const headings = [...readFileSync(join(root, 'docs/operate/monitoring.md'), 'utf8').matchAll(/^#{2,3} (.+)$/gm)].map(
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
    const text = readFileSync(join(root, 'docs/operate/monitoring.md'), 'utf8');
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
    const { status, output } = promtool(args);
    expect(status, output).toBe(0);
  });

  it('finds nothing to say about what is served', () => {
    const ours = page.split(/^(?=# HELP )/m).filter((block) => block.startsWith('# HELP svc_'));
    expect(promtool(['check', 'metrics'], ours.join(''))).toEqual({ status: 0, output: '' });
  });
});
