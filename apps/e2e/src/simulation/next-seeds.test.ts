import { expect, it } from 'vitest';
import { seenTooSeldom } from './counts.ts';
import { simulateSeeds } from './simulate.ts';

// In a file of its own, for another worker.
it('whatever happens to devices, their service and what lies between: seeds 151 to 300', {
  timeout: 600_000,
}, async () => {
  const { seeds, seen, reports } = await simulateSeeds({ from: 151, end: 301, stride: 1 });
  expect(reports.join('\n\n')).toBe('');
  expect(seeds).toBe(150);
  expect(seenTooSeldom(seen, seeds)).toEqual([]);
});
