/** The process of one suite: checks every case, runs benny's own cycle, then the interleaved rounds for the ratios. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { add, suite as bennySuite, cycle } from 'benny';
import { median, quantile } from '../inputs/summary.ts';
import { describeMachine } from './environment.ts';
import { type CaseRounds, interleave, ratioOfRounds } from './interleave.ts';
import { formatResult, resultFile, resultsFolder, type SuiteResult } from './results.ts';
import { type BenchCase, type BenchSuite, isSuiteName, loadSuite, type SuiteName } from './suite.ts';

/**
 * Runs cases one at a time: benny starts all asynchronous cases at once to see what they return, but the models do not
 * support parallel calls.
 */
function oneAtATime(): (each: BenchCase) => () => unknown {
  let last: Promise<unknown> = Promise.resolve();
  return (each) => {
    const first = each.run();
    if (!(first instanceof Promise)) return each.run;
    last = last.then(() => first);
    return () => {
      const next = last.then(() => each.run());
      last = next;
      return next;
    };
  };
}

async function runBenny(
  name: SuiteName,
  suite: BenchSuite,
): Promise<Map<string, { ops: number; marginPercent: number }>> {
  const queued = oneAtATime();
  const options = { minSamples: 5, maxTime: 1.5 };
  const cases = suite.cases.map((each) => add(each.name, queued(each), options));
  const summary = await bennySuite(name, ...cases, ...(process.stdout.isTTY ? [cycle()] : []));
  return new Map(summary.results.map((result) => [result.name, { ops: result.ops, marginPercent: result.margin }]));
}

function summarise(
  name: SuiteName,
  suite: BenchSuite,
  rounds: readonly CaseRounds[],
  benny: Awaited<ReturnType<typeof runBenny>>,
): SuiteResult {
  const roundsOf = (caseName: string): CaseRounds => {
    const found = rounds.find((each) => each.name === caseName);
    if (!found) throw new Error(`no case is named “${caseName}”`);
    return found;
  };
  const medianMs = (caseName: string): number => median(roundsOf(caseName).perRunMs);
  return {
    suite: name,
    title: suite.title,
    about: suite.about,
    ...describeMachine(),
    cases: suite.cases.map((each) => {
      const { perRunMs } = roundsOf(each.name);
      return {
        name: each.name,
        medianMs: median(perRunMs),
        q1Ms: quantile(perRunMs, 0.25),
        q3Ms: quantile(perRunMs, 0.75),
        benny: benny.get(each.name) ?? null,
      };
    }),
    ratios: suite.ratios.map(({ name: ratioName, fast, slow, atLeast }) => ({
      name: ratioName,
      ...ratioOfRounds(roundsOf(slow), roundsOf(fast)),
      atLeast: atLeast ?? null,
    })),
    figures: (suite.figures ?? []).map((figure) => ({ name: figure.name, text: figure.text(medianMs) })),
    skipped: suite.skipped ?? [],
  };
}

const name = process.argv[2] ?? '';
if (!isSuiteName(name)) throw new Error('which suite?');
const suite = await loadSuite(name, 'full');
try {
  for (const each of suite.cases) await each.check();
  const benny = suite.clock === 'wall' ? new Map() : await runBenny(name, suite);
  const rounds = await interleave(suite.cases, {
    clock: suite.clock ?? 'processor',
    rounds: suite.rounds ?? 21,
    batchMs: suite.batchMs ?? 40,
    onWarm: suite.beginMeasuring,
  });
  mkdirSync(resultsFolder, { recursive: true });
  writeFileSync(resultFile(name), formatResult(summarise(name, suite, rounds, benny)));
} finally {
  await suite.close?.();
}
