import { expect, it } from 'vitest';
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
