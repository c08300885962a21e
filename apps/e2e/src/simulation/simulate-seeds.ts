import { useSameThreadCrypto } from './same-thread-crypto.ts';
import { simulate } from './simulate.ts';
import { added, NOTHING_SEEN, type Tally } from './tally.ts';

/** Seeds to run: every `stride`-th from `from` to below `end`. */
export interface Seeds {
  readonly from: number;
  readonly end: number;
  readonly stride: number;
}

export interface SeedsDone {
  readonly seeds: number;
  readonly seen: Tally;
  /** One of each seed that broke a promise. */
  readonly reports: readonly string[];
}

/** More of them tell no more than these. */
const MOST_REPORTS = 10;

/** Runs seeds one behind the other on this thread. @param onProgress called with what is done, now and then */
export async function simulateSeeds(
  { from, end, stride }: Seeds,
  onProgress: (done: SeedsDone) => void = () => undefined,
): Promise<SeedsDone> {
  useSameThreadCrypto();
  let done: SeedsDone = { seeds: 0, seen: NOTHING_SEEN, reports: [] };
  for (let seed = from; seed < end && done.reports.length < MOST_REPORTS; seed += stride) {
    const { seen, report } = await simulate(seed);
    const reports = report === '' ? done.reports : [...done.reports, report];
    done = { seeds: done.seeds + 1, seen: added(done.seen, seen), reports };
    if (report !== '' || done.seeds % 50 === 0) onProgress(done);
  }
  onProgress(done);
  return done;
}
