import { expect, it } from 'vitest';
import { livenessOf } from './organisers.ts';

it('reads the people whom the liveness part lost', () => {
  const row = '| a person who does as asked | 0.025 (1 of 40; 95 %: 6.33e-4 – 0.1316) | 39 Match/verified |';
  expect(livenessOf(`## Liveness\n\n${row}\n`)).toEqual({ lost: 1, of: 40, high: 0.1316 });
  expect(livenessOf('## Liveness\n\nNot measured in this copy')).toBeNull();
});
