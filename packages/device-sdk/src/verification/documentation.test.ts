import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { transitionTable } from './machine.ts';
import { verdictReasons, verificationOutcomes } from './result.ts';
import { eventNames, promptHints, promptKeys, stateNames } from './states.ts';

const guide = readFileSync(new URL('../../../../docs/device-sdk.md', import.meta.url), 'utf8');
const section = (name: string): string =>
  guide.split(`<!-- ${name}:begin -->\n`)[1]?.split(`<!-- ${name}:end -->`)[0] ?? '';

/** The table as it must be in the guide. */
function rows(): string {
  const lines = stateNames.flatMap((state) =>
    eventNames.flatMap((event) => {
      const cell = transitionTable[state][event];
      return cell === undefined ? [] : `| ${state} | ${event} | ${cell.leadsTo.join(', ')} | ${cell.because} |`;
    }),
  );
  return ['| State | Event | Leads to | Because |', '|---|---|---|---|', ...lines, ''].join('\n');
}

describe('docs/device-sdk.md', () => {
  it('has the whole table of states and events', () => expect(section('table')).toBe(rows()));

  it('has every outcome with its reasons, in order', () => {
    const cells = section('reasons')
      .split('\n')
      .slice(2, -1)
      .map((row) =>
        row
          .split('|')
          .slice(1, 3)
          .map((cell) => cell.trim()),
      );
    expect(cells).toEqual(
      verificationOutcomes.map((outcome) => [
        `\`${outcome}\``,
        verdictReasons[outcome].map((reason) => `\`${reason}\``).join(', '),
      ]),
    );
  });

  it('has every prompt and hint', () => {
    for (const key of [...promptKeys, ...promptHints]) expect(guide).toMatch(new RegExp(`^\\| \`${key}\``, 'm'));
  });
});
