import { added, type Counts, NO_COUNTS } from './counts.ts';
import { drawHistory, type History, type Step } from './history.ts';
import type { Databases } from './simulated-service.ts';
import { World } from './world.ts';

/** Seeds to run: every `stride`-th from `from` to below `end`. */
export interface Seeds {
  readonly from: number;
  readonly end: number;
  readonly stride: number;
}

export interface SeedsDone {
  readonly seeds: number;
  readonly seen: Counts;
  /** One report for each seed that broke a promise. */
  readonly reports: readonly string[];
}

/** More reports add no information. */
const MOST_REPORTS = 10;

/** Runs seeds one after another on this thread. @param onProgress called now and then */
export async function simulateSeeds(
  { from, end, stride }: Seeds,
  databases: Databases,
  onProgress: (done: SeedsDone) => void = () => undefined,
): Promise<SeedsDone> {
  let done: SeedsDone = { seeds: 0, seen: NO_COUNTS, reports: [] };
  for (let seed = from; seed < end && done.reports.length < MOST_REPORTS; seed += stride) {
    const { seen, report } = await simulate(seed, databases);
    const reports = report === '' ? done.reports : [...done.reports, report];
    done = { seeds: done.seeds + 1, seen: added(done.seen, seen), reports };
    if (report !== '' || done.seeds % 50 === 0) onProgress(done);
  }
  onProgress(done);
  return done;
}

/** The error and its step; the step after the last is the convergence. */
export interface Failure {
  readonly at: number;
  readonly message: string;
}

export interface Run {
  readonly failure: Failure | null;
  readonly seen: World['seen'];
  readonly trace: readonly string[];
}

/** Runs a history to its end or to the first broken promise. */
export async function run({ seed, steps }: History, databases: Databases): Promise<Run> {
  const world = await World.open(seed, databases);
  let at = 0;
  try {
    for (const step of steps) {
      await world.take(step);
      at += 1;
    }
    await world.converge();
    return { failure: null, seen: world.seen, trace: world.trace };
  } catch (error) {
    const message =
      error instanceof Error && error.name === 'Violation' ? error.message : String((error as Error).stack);
    return { failure: { at, message }, seen: world.seen, trace: world.trace };
  } finally {
    await world.close();
  }
}

/** Shortest steps that break the same promise: drops those after the failure, then each one that is not needed. */
export async function shrink(history: History, failure: Failure, databases: Databases): Promise<History> {
  let steps: readonly Step[] = history.steps.slice(0, failure.at + 1);
  for (let size = steps.length >> 1; size >= 1; size >>= 1) {
    for (let from = 0; from < steps.length; ) {
      const fewer = [...steps.slice(0, from), ...steps.slice(from + size)];
      const { failure: still } = await run({ ...history, steps: fewer }, databases);
      if (still?.message !== failure.message) from += size;
      else steps = fewer;
    }
  }
  return { ...history, steps };
}

/** Runs a seed. @returns the report of a failure: how to repeat it, and the shortest history found */
export async function simulate(seed: number, databases: Databases): Promise<Run & { readonly report: string }> {
  const history = drawHistory(seed);
  const first = await run(history, databases);
  if (first.failure === null) return { ...first, report: '' };
  const shortest = await shrink(history, first.failure, databases);
  const { failure } = await run(shortest, databases);
  const lines = [
    `seed ${seed} breaks a promise: ${first.failure.message}`,
    `of its ${history.steps.length} steps these ${shortest.steps.length} are enough for: ${failure?.message}`,
    ...shortest.steps.map((step, nth) => `${nth === failure?.at ? '→' : ' '} ${JSON.stringify(step)}`),
  ];
  return { ...first, report: lines.join('\n') };
}
