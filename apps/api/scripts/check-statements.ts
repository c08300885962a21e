import process from 'node:process';
import { checkStatements, summarise } from '../src/testing/routing/check.ts';
import { readRecordings } from '../src/testing/routing/recordings.ts';

const report = checkStatements(readRecordings());
for (const failure of new Set(report.failures)) process.stderr.write(`${failure}\n`);
process.stdout.write(`${summarise(report)}\n`);
if (report.failures.length > 0) process.exitCode = 1;
