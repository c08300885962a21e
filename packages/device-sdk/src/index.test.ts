import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';

const MOST_NAMES = 35;

/** Names that a module exports, types included. */
const namesIn = (source: string): string[] =>
  [...source.matchAll(/export (?:type )?\{([^}]*)\}/g)].flatMap(([, list = '']) =>
    list.split(',').flatMap((name) => name.replace('type ', '').trim() || []),
  );

it(`the package's main entry exports at most ${MOST_NAMES} names`, async () => {
  const source = await readFile(new URL('./index.ts', import.meta.url), 'utf8');
  // Other forms of export are not counted.
  expect(source.match(/^export (?!(type )?\{)/gm)).toBeNull();
  const names = namesIn(source);
  expect(names).toEqual(expect.arrayContaining(['CheckInDevice', 'DevicePorts', 'VerificationResult']));
  expect(names.length).toBeLessThanOrEqual(MOST_NAMES);
});
