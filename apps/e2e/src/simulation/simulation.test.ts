import { describe, expect, it } from 'vitest';
import { drawHistory } from './history.ts';
import { sabotages } from './sabotage.ts';
import { run, simulate } from './simulate.ts';

const asked = process.env.SVC_SIMULATION_SEED;
const FIRST = asked === undefined ? Number(process.env.SVC_SIMULATION_FROM ?? 1) : Number(asked);
const SEEDS = asked === undefined ? Number(process.env.SVC_SIMULATIONS ?? 120) : 1;
/** Within which everything that is broken on purpose is found. */
const SABOTAGED_SEEDS = 150;
/** Side by side, so that one works while another waits for a thread of the crypto library. */
const AT_ONCE = 4;

describe('whatever happens to devices, their service and what lies between', () => {
  it(`is promised under each of ${SEEDS} seeds`, { timeout: 24 * 60 * 60_000 }, async () => {
    const seen = { matches: 0, syncs: 0, wipes: 0, cuts: 0, attempts: 0 };
    const broken: string[] = [];
    const beganMs = performance.now();
    let next = FIRST;
    const work = async () => {
      while (next < FIRST + SEEDS && broken.length < 3) {
        const seed = next;
        next += 1;
        const { report, ...done } = await simulate(seed);
        for (const what of Object.keys(seen) as (keyof typeof seen)[]) seen[what] += done.seen[what];
        if (report !== '') broken.push(report);
        if (seed % 1_000 === 0) process.stdout.write(`${seed} seeds\n`);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    const perSecond = (next - FIRST) / ((performance.now() - beganMs) / 1_000);
    process.stdout.write(`${next - FIRST} seeds, ${perSecond.toFixed(1)} a second: ${JSON.stringify(seen)}\n`);
    expect(broken.join('\n\n')).toBe('');
    // A simulation in which everybody is always refused would prove nothing.
    if (asked === undefined) for (const times of Object.values(seen)) expect(times).toBeGreaterThan(SEEDS / 10);
  });

  it('goes the same way again under the same seed', async () => {
    for (const seed of [3, 17]) {
      const [first, second] = await Promise.all([run(drawHistory(seed)), run(drawHistory(seed))]);
      expect(first.trace.length).toBeGreaterThan(20);
      expect(second.trace).toEqual(first.trace);
    }
  });
});

describe('what is broken on purpose is found out:', () => {
  it.each(Object.entries(sabotages))('%s', { timeout: 300_000 }, async (_name, sabotage) => {
    let found: string | null = null;
    const { firstSeed = 1 } = sabotage;
    for (let seed = firstSeed; seed < firstSeed + SABOTAGED_SEEDS && found === null; seed += 1) {
      found = (await run(drawHistory(seed), sabotage)).failure?.message ?? null;
    }
    expect(found).not.toBeNull();
  });
});
