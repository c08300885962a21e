import { expect, it } from 'vitest';
import { seenTooSeldom } from './counts.ts';
import { simulateSeeds } from './simulate.ts';

// A separate file, so that another worker runs it.
it('all promises hold: seeds 151 to 300', {
  timeout: 600_000,
}, async () => {
  const { seeds, seen, reports } = await simulateSeeds({ from: 151, end: 301, stride: 1 });
  expect(reports.join('\n\n')).toBe('');
  expect(seeds).toBe(150);
  expect(seenTooSeldom(seen, seeds)).toEqual([]);
});
