// `npm test`: from a fresh clone through every check and every test.
import { android } from './lib/android.mjs';
import { chromium } from './lib/chromium.mjs';
import { prometheus } from './lib/prometheus.mjs';
import { run, SetupError, script, setup, turbo } from './lib/setup.mjs';

const test = (...args) => turbo(['run', 'test', '--continue', '--log-order=grouped', '--output-logs=full', ...args]);

script(() => {
  setup();
  chromium();
  android();
  prometheus();
  run(process.execPath, ['scripts/check.mjs']);
  // Two packages at a time, because some have a slow file. Cross-package tests run last and alone: their cameras run in
  // real time. After a failure the remaining packages are still tested, and the failure stays readable.
  const stages = [['--filter=!@svc/e2e', '--concurrency=2'], ['--filter=@svc/e2e']];
  const failures = [];
  for (const stage of stages) {
    try {
      test(...stage);
    } catch (error) {
      if (!(error instanceof SetupError)) throw error;
      failures.push(error.message);
    }
  }
  if (failures.length > 0) throw new SetupError(failures.join('\n'));
});
