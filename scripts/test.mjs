// `npm test`: from a fresh clone through every check and every test.
import { failuresIn, skippedIn, slowestFiles, tasksOf, unsteadyIn } from './lib/outcome.mjs';
import { run, SetupError, script, turbo } from './lib/setup.mjs';
import { setupForTests } from './lib/test-tools.mjs';

const test = (...args) =>
  turbo(['run', 'test', ...args, '--continue', '--summarize', '--log-order=grouped', '--output-logs=full'], {
    env: { SVC_TEST_RETRIES: '1' },
  });

script(async () => {
  await setupForTests();
  run(process.execPath, ['scripts/check.mjs']);
  // Two packages at a time, because some have a slow file. Cross-package tests run last: their cameras run in real time.
  // After a failure the remaining packages are still tested.
  const stages = [
    ['--filter=!@svc/e2e', '--concurrency=2'],
    ['test:pages', '--filter=@svc/e2e'],
  ];
  const ran = stages.map((stage) => tasksOf(() => test(...stage)));
  // A log is often seen by its end alone.
  const tasks = ran.flatMap((stage) => stage.tasks);
  const skipped = skippedIn(tasks);
  const unsteady = unsteadyIn(tasks);
  process.stdout.write(`\nThe slowest test files:\n${slowestFiles(tasks, 10).join('\n')}\n`);
  if (skipped.length > 0) process.stdout.write(`\nSkipped:\n${skipped.join('\n')}\n`);
  if (unsteady.length > 0) process.stdout.write(`\nPassed only at the second attempt:\n${unsteady.join('\n')}\n`);
  const errors = ran.flatMap(({ error }) => (error === null ? [] : [error]));
  for (const error of errors) if (!(error instanceof SetupError)) throw error;
  if (errors.length === 0) return;
  const failed = [...failuresIn(tasks), ...errors.map(({ message }) => message)];
  throw new SetupError(`\nFailed:\n${failed.join('\n')}`);
});
