import { expect, it } from 'vitest';
import { Places } from './places.ts';

const takeAll = (places: Places, accountId: string): (() => void)[] => {
  const taken: (() => void)[] = [];
  for (let place = places.take(accountId); place !== null; place = places.take(accountId)) taken.push(place);
  return taken;
};

it('gives one account half of the places, and the rest to others', () => {
  const places = new Places(2, 16);
  expect(takeAll(places, 'greedy')).toHaveLength(9);
  expect(takeAll(places, 'modest')).toHaveLength(9);
  expect(places.take('late')).toBeNull();
});

it('gives one account enough for every worker', () => {
  expect(takeAll(new Places(4, 0), 'only')).toHaveLength(4);
  expect(takeAll(new Places(1, 0), 'only')).toHaveLength(1);
});

it('takes a place back once', () => {
  const places = new Places(1, 1);
  const release = places.take('a');
  release?.();
  release?.();
  expect([places.take('a') === null, places.take('b') === null, places.take('c')]).toEqual([false, false, null]);
});
