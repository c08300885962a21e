import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { withoutAddOn } from './inputs/engines.ts';
import { sharePostgres } from './service/start-service.ts';
import { loadSuite, suiteNames } from './suite.ts';

sharePostgres(inject('postgres'));

/** Runs and checks every case, so that no wrong result is ever timed. */
describe.each(suiteNames)('suite %s', (name) => {
  it('has cases that do what their names say, and ratios of its cases', async () => {
    const suite = await loadSuite(name, 'check');
    onTestFinished(suite.close ?? (() => undefined));
    const names = suite.cases.map((each) => each.name);
    expect(new Set(names).size).toBe(names.length);
    for (const each of suite.cases) {
      await each.check();
      await each.run();
    }
    for (const { fast, slow } of suite.ratios) expect(names).toEqual(expect.arrayContaining([fast, slow]));
    for (const figure of suite.figures ?? []) {
      const asked: string[] = [];
      figure.text((caseName) => asked.push(caseName));
      expect(names).toEqual(expect.arrayContaining(asked));
    }
    for (const { name: spread, values } of suite.spreads?.() ?? []) expect(values, spread).not.toHaveLength(0);
    const held: string[] = [];
    const bars = suite.bars?.((caseName) => held.push(caseName)) ?? [];
    for (const { name: bar, value } of bars) expect(value, bar).toBeGreaterThan(0);
    expect(names).toEqual(expect.arrayContaining(held));
    for (const line of suite.skipped ?? []) {
      process.stdout.write(line === withoutAddOn ? `skipped: no ../shared (${line})\n` : `skipped: ${line}\n`);
    }
  }, 240_000);
});
