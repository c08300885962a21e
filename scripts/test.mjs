// `npm test`: from a fresh clone through every check and every test.
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { android } from './lib/android.mjs';
import { chromium } from './lib/chromium.mjs';
import { failuresIn, skippedIn, slowestFiles, tasksOf, unsteadyIn } from './lib/outcome.mjs';
import { prometheus } from './lib/prometheus.mjs';
import { root, run, SetupError, script, setup, turbo } from './lib/setup.mjs';

const outcomes = join(root, '.turbo', 'outcomes');

const test = (...args) =>
  turbo(['run', 'test', '--continue', '--summarize', '--log-order=grouped', '--output-logs=full', ...args], {
    env: { SVC_TEST_OUTCOMES: outcomes },
  });

script(() => {
  setup();
  chromium();
  android();
  prometheus();
  run(process.execPath, ['scripts/check.mjs']);
  rmSync(outcomes, { recursive: true, force: true });
  mkdirSync(outcomes, { recursive: true });
  // Two packages at a time, because some have a slow file. Cross-package tests run last and alone: their cameras run in
  // real time. After a failure the remaining packages are still tested.
  const stages = [['--filter=!@svc/e2e', '--concurrency=2'], ['--filter=@svc/e2e']];
  const ran = stages.map((stage) => tasksOf(() => test(...stage)));
  // A log is often seen by its end alone.
  const tasks = ran.flatMap((stage) => stage.tasks);
  const skipped = skippedIn(tasks);
  const unsteady = unsteadyIn(tasks, outcomes);
  process.stdout.write(`\nThe slowest test files:\n${slowestFiles(outcomes, 10).join('\n')}\n`);
  if (skipped.length > 0) process.stdout.write(`\nSkipped:\n${skipped.join('\n')}\n`);
  if (unsteady.length > 0) process.stdout.write(`\nPassed at the second attempt only:\n${unsteady.join('\n')}\n`);
  const errors = ran.flatMap(({ error }) => (error === null ? [] : [error]));
  for (const error of errors) if (!(error instanceof SetupError)) throw error;
  if (errors.length === 0) return;
  const failed = [...failuresIn(tasks, outcomes), ...errors.map(({ message }) => message)];
  throw new SetupError(`\nFailed:\n${failed.join('\n')}`);
});
