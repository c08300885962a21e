import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { withoutAddOn } from './inputs/engines.ts';
import { sharePostgres } from './service/start-service.ts';
import { loadSuite, type SuiteName, suiteNames } from './suite.ts';

sharePostgres(inject('postgres'));

/** `run-suite.ts` checks each case before it times it; here the suites are seen to work. Those of seconds are in `npm test`. */
const names: readonly SuiteName[] = process.env.SVC_TEST_ALL === '1' ? suiteNames : ['pack', 'sync'];

describe.each(names)('suite %s', (name) => {
  it('has cases that do what their names say, and ratios of its cases', async () => {
    const suite = await loadSuite(name, 'check');
    onTestFinished(suite.close ?? (() => undefined));
    const cases = suite.cases.map((each) => each.name);
    expect(new Set(cases).size).toBe(cases.length);
    for (const each of suite.cases) {
      await each.check();
      await each.run();
    }
    for (const { fast, slow } of suite.ratios) expect(cases).toEqual(expect.arrayContaining([fast, slow]));
    for (const figure of suite.figures ?? []) {
      const asked: string[] = [];
      figure.text((caseName) => asked.push(caseName));
      expect(cases).toEqual(expect.arrayContaining(asked));
    }
    for (const line of suite.skipped ?? []) {
      process.stdout.write(line === withoutAddOn ? `skipped: no ../shared (${line})\n` : `skipped: ${line}\n`);
    }
  }, 240_000);
});
