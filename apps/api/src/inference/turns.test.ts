import fc from 'fast-check';
import { expect, it, vi } from 'vitest';
import { Turns } from './turns.ts';

const here = () => new AbortController().signal;
const LONG_MS = 60_000;

it('gives turns in the order of coming', async () => {
  const turns = new Turns(1);
  const end = await turns.take(here(), LONG_MS);
  const order: string[] = [];
  const next = ['first', 'second'].map((name) =>
    turns.take(here(), LONG_MS).then((endNext) => {
      order.push(name);
      endNext?.();
    }),
  );
  end?.();
  await Promise.all(next);
  expect(order).toEqual(['first', 'second']);
});

it('forgets who leaves, and who waits too long', async () => {
  vi.useFakeTimers();
  try {
    const turns = new Turns(1);
    const end = await turns.take(here(), LONG_MS);
    const leaver = new AbortController();
    const left = turns.take(leaver.signal, LONG_MS);
    const late = turns.take(here(), 1_000);
    const patient = turns.take(here(), LONG_MS);
    leaver.abort();
    vi.advanceTimersByTime(1_000);
    expect([await left, await late, await turns.take(AbortSignal.abort(), LONG_MS)]).toEqual([null, null, null]);
    end?.();
    expect(await patient).not.toBeNull();
  } finally {
    vi.useRealTimers();
  }
});

it('never lets more work at once than it may, and loses no turn', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 4 }),
      fc.array(fc.boolean(), { maxLength: 30 }),
      async (atOnce, stays) => {
        const turns = new Turns(atOnce);
        let working = 0;
        let most = 0;
        await Promise.all(
          stays.map(async (stay) => {
            const gone = new AbortController();
            const turn = turns.take(gone.signal, LONG_MS);
            if (!stay) gone.abort();
            const end = await turn;
            if (end === null) return;
            working += 1;
            most = Math.max(most, working);
            await Promise.resolve();
            working -= 1;
            end();
          }),
        );
        expect(most).toBeLessThanOrEqual(atOnce);
        const free = await Promise.all(Array.from({ length: atOnce }, () => turns.take(here(), LONG_MS)));
        expect(free).not.toContain(null);
      },
    ),
    { numRuns: 100 },
  );
});
