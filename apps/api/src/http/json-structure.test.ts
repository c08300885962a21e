import { expect, it } from 'vitest';
import { countStructure } from './json-structure.ts';

const count = (json: string, limit = 1_000) => countStructure(Buffer.from(json), limit);

it.each([
  ['', 0],
  ['"x"', 0],
  ['{"a":[1,{}],"b":null}', 10],
  ['{"a":"{[,:]}"}', 3],
  ['{"a":"\\"[[[","b":"\\\\"}', 5],
  ['["ü😀",1]', 3],
  ['{"a":"\\\\","b":"\\\\\\"[","c":[]}', 9],
  ['"\\', 0],
  ['["never closed [[[', 1],
])('%s has %i', (json, structure) => {
  expect(count(json)).toBe(structure);
});

it('stops behind its limit', () => {
  expect(count('['.repeat(100), 10)).toBe(11);
});
