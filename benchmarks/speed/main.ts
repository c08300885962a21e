/**
 * `npm run bench [-- suite …]`: one process per suite, then the table of docs/benchmarks.md from all stored results.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { drawTimeline } from './draw-timeline.ts';
import { drawingFile, openings, renderReport } from './report.ts';
import { missed, parseResult, resultFile } from './results.ts';
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
  const results = suiteNames
    .filter((name) => existsSync(resultFile(name)))
    .map((name) => parseResult(readFileSync(resultFile(name), 'utf8')));
  writeFileSync(here('../../docs/benchmarks.md'), renderReport(results));
  for (const { suite, timeline } of results) {
    if (timeline !== null)
      writeFileSync(here(`../../docs/${drawingFile(suite)}`), drawTimeline(timeline, openings(results)));
  }
  const failures = results.filter(({ suite }) => chosen.includes(suite)).flatMap(missed);
  for (const { name, text } of failures) console.error(`missed: ${name}: ${text}`);
  return failures.length === 0 ? 0 : 1;
}

process.exitCode = main(process.argv.slice(2));
