import { describe, expect, it } from 'vitest';
import { interleave, ratioOfRounds } from './interleave.ts';

describe('interleaved rounds', () => {
  it('gives every case the same number of rounds, each starting with another case', async () => {
    const order: string[] = [];
    const check = () => {};
    const busy = (name: string) => () => {
      order.push(name);
      const until = performance.now() + 2;
      while (performance.now() < until);
    };
    const cases = ['a', 'b', 'c'].map((name) => ({ name, run: busy(name), check }));
    let warmAfter = 0;
    const onWarm = () => {
      warmAfter = order.length;
    };
    const rounds = await interleave(cases, { clock: 'wall', rounds: 3, batchMs: 1, onWarm });
    expect(rounds.map(({ name, perRunMs }) => [name, perRunMs.length])).toEqual([
      ['a', 3],
      ['b', 3],
      ['c', 3],
    ]);
    expect(rounds.every(({ perRunMs }) => perRunMs.every((ms) => ms >= 2))).toBe(true);
    // Without the warm-up: three rounds of three, each beginning with the next case.
    expect(order.slice(-9).join('')).toBe('abcbcacab');
    expect(warmAfter).toBe(order.length - 9);
  });

  it('awaits a promise before the next run', async () => {
    let running = 0;
    let most = 0;
    const run = async () => {
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setTimeout(resolve, 1));
      running -= 1;
    };
    await interleave([{ name: 'one', run, check: () => {} }], { clock: 'wall', rounds: 2, batchMs: 3 });
    expect(most).toBe(1);
  });

  it('computes ratios within a round, so that a slow round does not change them', () => {
    const slow = { name: 'slow', perRunMs: [10, 100, 10] };
    const fast = { name: 'fast', perRunMs: [1, 10, 1] };
    expect(ratioOfRounds(slow, fast)).toEqual({ median: 10, q1: 10, q3: 10 });
  });
});
