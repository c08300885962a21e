// `npm run statements`, after the tests of this package: checks the statements that they recorded. `--forget` before them
// forgets those of an earlier run; `--list` prints all with their places; `--write` writes the list of docs/operations.md.
import { readFileSync, writeFileSync } from 'node:fs';
import process from 'node:process';
import { checkStatements, summarise } from './check.ts';
import { renderAskedEverywhere } from './everywhere.ts';
import { clearRecordings, readRecordings } from './recordings.ts';

const PAGE = new URL('../../../../../docs/operations.md', import.meta.url);
const PART = /(<!-- asked everywhere -->\n)[\s\S]*?(<!-- asked everywhere: end -->)/;

function check(): void {
  const report = checkStatements(readRecordings());
  if (process.argv.includes('--list')) {
    for (const { place, name, sql } of report.statements) process.stdout.write(`${place} ${name}: ${sql.trim()}\n`);
  }
  for (const failure of new Set(report.failures)) process.stderr.write(`${failure}\n`);
  process.stdout.write(`${summarise(report)}\n`);
  if (report.failures.length > 0) process.exitCode = 1;
}

if (process.argv.includes('--forget')) clearRecordings();
else if (process.argv.includes('--write')) {
  const page = readFileSync(PAGE, 'utf8');
  writeFileSync(
    PAGE,
    page.replace(PART, (_all, start: string, end: string) => `${start}\n${renderAskedEverywhere()}\n\n${end}`),
  );
} else check();
