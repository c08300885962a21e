/** The process of one suite: checks every case, then times all in interleaved rounds. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { median, quantile } from '../inputs/summary.ts';
import { describeMachine } from './environment.ts';
import { type CaseRounds, interleave, ratioOfRounds } from './interleave.ts';
import { formatResult, resultFile, resultsFolder, type SuiteResult } from './results.ts';
import { type BenchSuite, isSuiteName, loadSuite, type SuiteName } from './suite.ts';

function summarise(name: SuiteName, suite: BenchSuite, rounds: readonly CaseRounds[]): SuiteResult {
  const roundsOf = (caseName: string): CaseRounds => {
    const found = rounds.find((each) => each.name === caseName);
    if (!found) throw new Error(`no case is named «${caseName}»`);
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
  const rounds = await interleave(suite.cases, {
    clock: suite.clock ?? 'processor',
    rounds: suite.rounds ?? 21,
    batchMs: suite.batchMs ?? 40,
    onWarm: suite.beginMeasuring,
  });
  mkdirSync(resultsFolder, { recursive: true });
  writeFileSync(resultFile(name), formatResult(summarise(name, suite, rounds)));
} finally {
  await suite.close?.();
}
