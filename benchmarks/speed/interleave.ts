import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { median, quantile } from '../inputs/summary.ts';
import type { BenchCase } from './suite.ts';

/** Timings of one case, one entry per round. */
export interface CaseRounds {
  readonly name: string;
  /** Milliseconds per run. */
  readonly perRunMs: readonly number[];
}

export interface InterleaveOptions {
  /** `processor`: time of the whole process, which excludes other processes on the machine. */
  readonly clock: 'processor' | 'wall';
  readonly rounds: number;
  /** Minimum time of a case within a round; the number of repetitions is set during the warm-up. */
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

/** Collects garbage between batches, untimed, so that no case pays for the one before it. */
const collectGarbage: () => void = (() => {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc');
})();

/** Runs a case until it is warm. @returns its repetitions per batch */
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
 * Times cases in interleaved rounds, each in another order, so that changes of the machine's speed affect all cases
 * alike. This makes ratios meaningful on a shared machine.
 */
export async function interleave(cases: readonly BenchCase[], options: InterleaveOptions): Promise<CaseRounds[]> {
  const repeats = new Map<string, number>();
  for (const each of cases) repeats.set(each.name, await warmUp(each.run, options.batchMs));
  options.onWarm?.();
  const times = new Map<string, number[]>(cases.map((each) => [each.name, []]));
  for (let round = 0; round < options.rounds; round++) {
    for (let turn = 0; turn < cases.length; turn++) {
      const each = cases[(turn + round) % cases.length];
      if (!each) continue;
      const count = repeats.get(each.name) ?? 1;
      collectGarbage();
      const { processorMs, wallMs } = await timeBatch(each.run, count);
      times.get(each.name)?.push((options.clock === 'wall' ? wallMs : processorMs) / count);
    }
  }
  return cases.map(({ name }) => ({ name, perRunMs: times.get(name) ?? [] }));
}

/** Median, first and third quartile of the ratios of the rounds. */
export function ratioOfRounds(slow: CaseRounds, fast: CaseRounds): { median: number; q1: number; q3: number } {
  const ratios = slow.perRunMs.map((ms, round) => ms / (fast.perRunMs[round] ?? Number.NaN));
  return { median: median(ratios), q1: quantile(ratios, 0.25), q3: quantile(ratios, 0.75) };
}
