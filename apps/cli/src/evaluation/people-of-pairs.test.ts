import { expect, it } from 'vitest';
import { peopleOfPairs } from './people-of-pairs.ts';

const pair = (left: string, right: string, same: boolean) => ({ left, right, same });

it('takes photos that genuine pairs link for one person’s, over others too', () => {
  const people = peopleOfPairs([
    pair('a1', 'a2', true),
    pair('a1', 'b1', false),
    pair('a3', 'a2', true),
    pair('b1', 'b2', true),
    pair('a3', 'c1', false),
  ]);
  expect(people).toEqual([
    [0, 0],
    [0, 1],
    [0, 0],
    [1, 1],
    [0, 2],
  ]);
});
