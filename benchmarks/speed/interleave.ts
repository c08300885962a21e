import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { median, quantile } from '../statistics/summary.ts';
import type { BenchCase } from './suite.ts';

/** Timings of one case, one entry a round. */
export interface CaseRounds {
  readonly name: string;
  /** Processor time of the whole process, milliseconds a run: what a busy neighbour takes is not in it. */
  readonly perRunMs: readonly number[];
  /** The same by the clock on the wall. */
  readonly perRunWallMs: readonly number[];
}

export interface InterleaveOptions {
  readonly rounds: number;
  /** A case is repeated within a round until this much time has passed, as found when warming up. */
  readonly batchMs: number;
  /** Called between warming up and the first round. */
  readonly onWarm?: (() => void) | undefined;
}

interface BatchTime {
  readonly processorMs: number;
  readonly wallMs: number;
}

async function timeBatch(run: () => unknown, repeats: number): Promise<BatchTime> {
  const startedAt = performance.now();
  const before = process.cpuUsage();
  for (let i = 0; i < repeats; i++) {
    const result = run();
    if (result instanceof Promise) await result;
  }
  const { user, system } = process.cpuUsage(before);
  return { processorMs: (user + system) / 1000, wallMs: performance.now() - startedAt };
}

/** Between batches, untimed: no case pays for what the one before it threw away. */
const collectGarbage: () => void = (() => {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc');
})();

/** Runs a case until it is warm; how often it fits into a batch. */
async function warmUp(run: () => unknown, batchMs: number): Promise<number> {
  let repeats = 1;
  for (let pass = 0; pass < 40; pass++) {
    const { wallMs: elapsed } = await timeBatch(run, repeats);
    if (elapsed >= batchMs && pass >= 3) return Math.max(1, Math.round((repeats * batchMs) / elapsed));
    if (elapsed < batchMs) repeats = Math.ceil(repeats * Math.min(8, (1.2 * batchMs) / Math.max(elapsed, 0.01)));
  }
  return repeats;
}

/**
 * Times cases in turn, round after round and each round in another order, so that a change of the machine's speed falls
 * on all of them alike: what makes a ratio on a shared machine worth quoting.
 */
export async function interleave(cases: readonly BenchCase[], options: InterleaveOptions): Promise<CaseRounds[]> {
  const repeats = new Map<string, number>();
  for (const each of cases) repeats.set(each.name, await warmUp(each.run, options.batchMs));
  options.onWarm?.();
  const times = new Map<string, BatchTime[]>(cases.map((each) => [each.name, []]));
  for (let round = 0; round < options.rounds; round++) {
    for (let turn = 0; turn < cases.length; turn++) {
      const each = cases[(turn + round) % cases.length];
      if (!each) continue;
      const count = repeats.get(each.name) ?? 1;
      collectGarbage();
      const { processorMs, wallMs } = await timeBatch(each.run, count);
      times.get(each.name)?.push({ processorMs: processorMs / count, wallMs: wallMs / count });
    }
  }
  return cases.map(({ name }) => {
    const rounds = times.get(name) ?? [];
    return {
      name,
      perRunMs: rounds.map(({ processorMs }) => processorMs),
      perRunWallMs: rounds.map(({ wallMs }) => wallMs),
    };
  });
}

/** Median, first and third quartile of the rounds' own ratios. */
export function ratioOfRounds(slow: CaseRounds, fast: CaseRounds): { median: number; q1: number; q3: number } {
  const ratios = slow.perRunMs.map((ms, round) => ms / (fast.perRunMs[round] ?? Number.NaN));
  return { median: median(ratios), q1: quantile(ratios, 0.25), q3: quantile(ratios, 0.75) };
}
