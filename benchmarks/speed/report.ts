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

/** Medians; cases that are all named “row: column” make a table with these rows and columns. */
function caseTable(cases: readonly CaseResult[]): string {
  const times = new Map(cases.map(({ name, medianMs }) => [name, duration(medianMs)]));
  const places = [...times.keys()].map((name) => name.split(': '));
  if (places.some(({ length }) => length !== 2)) return markdownTable([['Case', 'median'], ...times], true);
  const [rows, columns] = [new Set(places.map(([row = '']) => row)), new Set(places.map(([, column = '']) => column))];
  const body = [...rows].map((row) => [row, ...[...columns].map((column) => times.get(`${row}: ${column}`) ?? '')]);
  return markdownTable([['Median', ...columns], ...body], true);
}

function withBar({ median, atLeast }: RatioResult): string {
  const ratio = `${median.toFixed(2)}×`;
  if (atLeast === null) return ratio;
  return median >= atLeast ? `${ratio} (≥ ${atLeast})` : `**${ratio}** (missed: ${atLeast})`;
}

const ratioTable = (ratios: readonly RatioResult[]): string =>
  markdownTable(
    [
      ['Speed ratio', 'median (required)', 'quartiles'],
      ...ratios.map((each) => [each.name, withBar(each), `${each.q1.toFixed(2)}–${each.q3.toFixed(2)}`]),
    ],
    true,
  );

/** Text in lines of at most 120 columns. */
const wrapped = (text: string): string => text.replaceAll(/(?=.{121})(.{1,120}) /g, '$1\n');

function section(result: SuiteResult, isOneMachine: boolean): string[] {
  const { cases, ratios, figures, skipped } = result;
  const blocks = [
    `## ${result.title}`,
    wrapped(`${result.about} Measured ${result.date}${isOneMachine ? '' : ` on ${result.machine}`}.`),
    caseTable(cases),
    ...(ratios.length > 0 ? [ratioTable(ratios)] : []),
    figures.map(({ name, text }) => wrapped(`- ${name}: ${text}`).replaceAll('\n', '\n  ')).join('\n'),
    skipped.map((line) => `- Not measured: ${line}`).join('\n'),
  ];
  return blocks.filter((block) => block !== '').flatMap((block) => [block, '']);
}

const introduction = `# Benchmarks

\`npm run bench\` writes this page; do not edit it. \`npm run bench -- sync frame\` measures only the suites \`sync\` and
\`frame\`, and keeps the other figures.

- **Times** are medians of 3 to 21 rounds, in which all cases take turns. Each case first passes a check of its result.
- **The clock** is processor time on one thread, or the wall clock in suites that drive the whole service.
- **“A over B”** is A’s speed divided by B’s in the same round. Compare these ratios: times hold only for this machine.
- **Required** (≥) is the lowest ratio that we accept.
`;

export function renderReport(results: readonly SuiteResult[]): string {
  const latest = results.reduce<SuiteResult | null>(
    (last, each) => (last && last.date >= each.date ? last : each),
    null,
  );
  const versions = Object.entries(latest?.versions ?? {}).map(([name, version]) => `${name} ${version}`);
  const machines = [...new Set(results.map(({ machine }) => machine))];
  const failures = results.filter((result) => missed(result).length > 0).map(({ title }) => `“${title}”`);
  return [
    introduction,
    wrapped(`Machine: ${machines.length === 1 ? machines[0] : 'as stated'}. Versions: ${versions.join(' · ')}.`),
    '',
    wrapped(failures.length === 0 ? 'All ratios are reached.' : `Ratios are too low in ${failures.join(', ')}.`),
    '',
    ...results.flatMap((result) => section(result, machines.length === 1)),
  ].join('\n');
}
