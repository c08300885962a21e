import { markdownTable } from '../research/markdown.ts';
import { type CaseResult, missed, type RatioResult, type SuiteResult } from './results.ts';

const significant = (value: number): string =>
  value >= 100 ? value.toFixed(0) : Number(value.toPrecision(3)).toString();

/** A duration in the most readable unit. */
export function duration(ms: number): string {
  if (ms < 1e-3) return `${significant(ms * 1e6)} ns`;
  if (ms < 1) return `${significant(ms * 1e3)} µs`;
  if (ms < 1e4) return `${significant(ms)} ms`;
  return `${significant(ms / 1e3)} s`;
}

const caseTable = (cases: readonly CaseResult[]): string =>
  markdownTable(
    [
      ['Case', 'median', 'quartiles', 'alone, runs a second'],
      ...cases.map(({ name, medianMs, q1Ms, q3Ms, benny }) => [
        name,
        duration(medianMs),
        `${duration(q1Ms)} – ${duration(q3Ms)}`,
        benny ? `${significant(benny.ops)} ± ${benny.marginPercent} %` : '',
      ]),
    ],
    true,
  );

function verdict({ median, atLeast }: RatioResult): string {
  if (atLeast === null) return '';
  return `≥ ${atLeast}: ${median >= atLeast ? 'reached' : '**missed**'}`;
}

const ratioTable = (ratios: readonly RatioResult[]): string =>
  markdownTable(
    [
      ['Ratio', 'median', 'quartiles', 'bar'],
      ...ratios.map((each) => [
        each.name,
        `${each.median.toFixed(2)}×`,
        `${each.q1.toFixed(2)} – ${each.q3.toFixed(2)}`,
        verdict(each),
      ]),
    ],
    true,
  );

function section(result: SuiteResult): string[] {
  const { cases, ratios, figures, skipped } = result;
  const blocks = [
    `## ${result.title}`,
    `${result.about} Measured ${result.date} on ${result.machine}.`,
    caseTable(cases),
    ...(ratios.length > 0 ? [ratioTable(ratios)] : []),
    figures.map(({ name, text }) => `- ${name}: ${text}`).join('\n'),
    skipped.map((line) => `- Not measured: ${line}`).join('\n'),
  ];
  return blocks.filter((block) => block !== '').flatMap((block) => [block, '']);
}

const introduction = `# Benchmarks

Written by \`npm run bench\`; do not edit. \`npm run bench -- sync frame\` measures some suites and keeps the other figures.

Each suite runs in a process of its own. Every case first passes a check of what it computes; \`npm test\` runs the same
checks. Then [benny](https://github.com/caderek/benny) times each case alone, by the clock («alone»), and after that all
cases run in turn, 3 to 21 rounds, each round in another order, garbage collected in between. Medians and ratios come from those rounds and are processor
time: a ratio is taken within a round, so that a machine whose speed wanders changes both sides alike, and what busy
neighbours take is not counted. Everything runs on one thread, but for the suites that say otherwise: they drive the whole
service in processes of its own and go by the clock on the wall. Read the ratios; the milliseconds belong to the machine that is named.
`;

export function renderReport(results: readonly SuiteResult[]): string {
  const latest = results.reduce<SuiteResult | null>(
    (last, each) => (last && last.date >= each.date ? last : each),
    null,
  );
  const versions = Object.entries(latest?.versions ?? {}).map(([name, version]) => `${name} ${version}`);
  const failures = results.flatMap((result) => missed(result).map(({ name }) => `${result.title}: ${name}`));
  return [
    introduction,
    `Versions: ${versions.join(' · ')}.`,
    '',
    failures.length === 0 ? 'All bars are reached.' : `Bars missed: ${failures.join('; ')}.`,
    '',
    ...results.flatMap(section),
  ].join('\n');
}
