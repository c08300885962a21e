// `npm run check`: every static check. Each runs even when one before it failed, so that one run tells everything.
import { run, SetupError, script, setup } from './lib/setup.mjs';

const bin = (name) => `node_modules/.bin/${name}`;
const steps = [
  ['format and lint', bin('biome'), ['ci', '--error-on-warnings', '.']],
  ['types', bin('turbo'), ['run', 'typecheck', '--output-logs=errors-only', '--log-order=grouped']],
  ['promises and exhaustive switches', bin('eslint'), ['--max-warnings=0', '.']],
  ['layer rules', process.execPath, ['scripts/check-layers.mjs']],
  ['documents', process.execPath, ['scripts/check-docs.mjs']],
  ['unused code and dependencies', bin('knip'), []],
  ['packages build', bin('turbo'), ['run', 'build', '--output-logs=errors-only', '--log-order=grouped']],
  ['package manifests', process.execPath, ['scripts/check-packages.mjs']],
  ['packages as installed from their tarballs', process.execPath, ['scripts/check-tarballs.mjs']],
  ['bundle sizes', bin('size-limit'), []],
];

script(() => {
  setup();
  const failed = [];
  for (const [name, command, args] of steps) {
    const startedAt = performance.now();
    try {
      run(command, args, { quiet: true });
      process.stdout.write(`check: ${name} ok (${((performance.now() - startedAt) / 1000).toFixed(1)} s)\n`);
    } catch (error) {
      if (!(error instanceof SetupError)) throw error;
      failed.push(name);
      process.stdout.write(`check: ${name} FAILED\n`);
    }
  }
  if (failed.length > 0) throw new SetupError(`failed: ${failed.join(', ')}`);
});
