/**
 * `npm run bench [-- suite …]`: one process per suite, then the table of docs/internals/benchmarks.md from all stored results.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { renderReport } from './report.ts';
import { missed, readResult, resultFile } from './results.ts';
import { isSuiteName, suiteNames } from './suite.ts';

const here = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));

function main(asked: readonly string[]): number {
  const unknown = asked.filter((name) => !isSuiteName(name));
  if (unknown.length > 0) {
    console.error(`unknown suite; there are ${suiteNames.join(', ')}`);
    return 2;
  }
  const chosen = asked.length === 0 ? suiteNames : suiteNames.filter((name) => asked.includes(name));
  for (const name of chosen) {
    const node = ['--conditions=svc-source', '--import', 'tsx', here('run-suite.ts'), name];
    const { status } = spawnSync(process.execPath, node, { stdio: 'inherit', cwd: here('..') });
    if (status !== 0) {
      console.error(`suite ${name} failed`);
      return 1;
    }
  }
  const results = suiteNames.filter((name) => existsSync(resultFile(name))).map(readResult);
  writeFileSync(here('../../docs/internals/benchmarks.md'), renderReport(results));
  const failures = results.filter(({ suite }) => chosen.includes(suite)).flatMap(missed);
  for (const { name, text } of failures) console.error(`missed: ${name}: ${text}`);
  return failures.length === 0 ? 0 : 1;
}

process.exitCode = main(process.argv.slice(2));
