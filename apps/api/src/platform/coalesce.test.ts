import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { coalesce } from './coalesce.ts';

describe('look-ups of one turn', () => {
  it('become one query, each with its own answer', async () => {
    const load = vi.fn((keys: readonly number[]) => Promise.resolve(keys.map((key) => key * 10)));
    const look = coalesce(load);
    expect(await Promise.all([look(1), look(2), look(1)])).toEqual([10, 20, 10]);
    expect(load.mock.calls).toEqual([[[1, 2, 1]]]);
  });

  it('are never answered with what was read before', async () => {
    let value = 0;
    const look = coalesce((keys: readonly string[]) => {
      value += 1;
      const read = value;
      return nextTurn().then(() => keys.map(() => read));
    });
    const first = look('a');
    await nextTurn();
    const second = look('a');
    expect(await Promise.all([first, second])).toEqual([1, 2]);
    expect(await look('a')).toBe(3);
  });

  it('wait for the query that is on its way, and then go together', async () => {
    // No time passes: however late the next turn comes, the query is on its way for less than others wait for it.
    vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const answers: (() => void)[] = [];
    const load = vi.fn(
      (keys: readonly number[]) => new Promise<readonly number[]>((resolve) => answers.push(() => resolve(keys))),
    );
    const look = coalesce(load);
    const looked = [look(1)];
    for (const key of [2, 3]) {
      await nextTurn();
      looked.push(look(key));
    }
    await nextTurn();
    expect(load.mock.calls).toEqual([[[1]]]);
    answers[0]?.();
    while (answers.length < 2) await nextTurn();
    answers[1]?.();
    expect(await Promise.all(looked)).toEqual([1, 2, 3]);
    expect(load.mock.calls).toEqual([[[1]], [[2, 3]]]);
  });

  it('do not wait long for a query that hangs', async () => {
    const look = coalesce((keys: readonly string[]) =>
      keys.includes('hangs') ? new Promise<readonly string[]>(() => undefined) : Promise.resolve(keys),
    );
    void look('hangs');
    await nextTurn();
    expect(await look('next')).toBe('next');
  });

  it('fail together, and the next one is tried again', async () => {
    let isDown = true;
    const look = coalesce((keys: readonly number[]) =>
      isDown ? Promise.reject(new Error('down')) : Promise.resolve(keys.map(() => 'there')),
    );
    const results = await Promise.allSettled([look(1), look(2)]);
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    isDown = false;
    expect(await look(1)).toBe('there');
  });
});
