import { expect, it } from 'vitest';
import { seenTooSeldom } from './counts.ts';
import { drawHistory } from './history.ts';
import { run, simulateSeeds } from './simulate.ts';

it('all promises hold: seeds 1 to 100', {
  timeout: 600_000,
}, async () => {
  const { seeds, seen, reports } = await simulateSeeds({ from: 1, end: 101, stride: 1 });
  expect(reports.join('\n\n')).toBe('');
  expect(seeds).toBe(100);
  expect(seenTooSeldom(seen, seeds)).toEqual([]);
});

it('the same seed gives the same history', async () => {
  for (const seed of [3, 17]) {
    const [first, second] = await Promise.all([run(drawHistory(seed)), run(drawHistory(seed))]);
    expect(first.trace.length).toBeGreaterThan(20);
    expect(second.trace).toEqual(first.trace);
  }
});
