// `npm test`: from a fresh clone through every check and every test.
import { chromium } from './lib/chromium.mjs';
import { run, script, setup, turbo } from './lib/setup.mjs';

script(() => {
  setup();
  chromium();
  run(process.execPath, ['scripts/check.mjs']);
  // One package at a time: each test run uses both cores by itself, and a failure stays readable. The packages behind it are tested all the same.
  turbo(['run', 'test', '--continue', '--concurrency=1', '--log-order=grouped', '--output-logs=full']);
});
