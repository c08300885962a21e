import { expect, it } from 'vitest';
import { mostAlikePairs, unchosenPairs } from './morphs.ts';
import { livenessOf } from './organisers.ts';

it('takes the most similar pairs, each person once', () => {
  // 0–1, 0–2, 0–3, 1–2, 1–3, 2–3
  const scores = Float32Array.of(0.5, 0.9, 0.1, 0.8, 0.2, 0.85);
  expect(mostAlikePairs(scores, 4, 2)).toEqual([
    [0, 2],
    [1, 3],
  ]);
  expect(mostAlikePairs(scores, 4, 1)).toEqual([[0, 2]]);
});

it('takes unselected pairs from the whole list, each person once', () => {
  const pairs = unchosenPairs(879, 40);
  expect(pairs).toHaveLength(40);
  expect(new Set(pairs.flat()).size).toBe(80);
  expect(pairs.at(-1)).toEqual([390, 829]);
  expect(unchosenPairs(5, 40)).toEqual([
    [0, 2],
    [1, 3],
  ]);
});

it('reads the number of people refused in the liveness part', () => {
  const row = '| a person who does as asked | 0.025 (1 of 40; 95 %: 6.33e-4 – 0.1316) | 39 Match/verified |';
  expect(livenessOf(`## Liveness\n\n${row}\n`)).toEqual({ lost: 1, of: 40, high: 0.1316 });
  expect(livenessOf('## Liveness\n\nNot measured in this copy')).toBeNull();
});
