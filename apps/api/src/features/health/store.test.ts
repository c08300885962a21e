import { expect, it, vi } from 'vitest';
import { sharedAnswer } from './store.ts';

it('shares one query among concurrent calls, and queries again for later ones', async () => {
  let asked = 0;
  const shared = sharedAnswer({
    answers() {
      asked += 1;
      return Promise.resolve(asked === 1);
    },
  });
  expect(await Promise.all(Array.from({ length: 100 }, () => shared.answers()))).toEqual(Array(100).fill(true));
  expect(asked).toBe(1);
  expect(await shared.answers()).toBe(false);
});

it('does not let a question that hangs delay the good news', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  try {
    let asked = 0;
    let end = (_answer: boolean): void => undefined;
    const hanging = new Promise<boolean>((resolve) => {
      end = resolve;
    });
    const shared = sharedAnswer({ answers: () => (++asked === 1 ? hanging : Promise.resolve(true)) });
    const first = shared.answers();
    vi.advanceTimersByTime(1_000);
    expect(await shared.answers()).toBe(true);
    end(false);
    expect(await first).toBe(false);
  } finally {
    vi.useRealTimers();
  }
});
