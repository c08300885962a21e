/**
 * `npm run check`: every static check. Each runs even if one before it failed, so that one run reports everything.
 * There are two lanes of about equal length; checks of built packages follow the build.
 */
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { root, runAside, SetupError, script, setup } from './lib/setup.mjs';

/** The native compiler, by its path: `.bin/tsc` may be either of the two installed ones. */
const typescript = 'tooling/node_modules/typescript-native/bin/tsc';
const bin = (name) => join(root, 'node_modules/.bin', name);
const lanes = [
  [
    ['packages build', bin('turbo'), ['run', 'build', '--output-logs=errors-only', '--log-order=grouped']],
    ['package manifests', process.execPath, ['scripts/check-packages.mjs']],
    ['packages as installed from their tarballs', process.execPath, ['scripts/check-tarballs.mjs']],
    ['bundle sizes', process.execPath, ['../scripts/tool.mjs', 'size-limit'], { cwd: join(root, 'tooling') }],
  ],
  [
    ['layer rules', process.execPath, ['scripts/check-layers.mjs']],
    ['format and lint', bin('biome'), ['ci', '--error-on-warnings', '.']],
    ['table of mutants', process.execPath, ['scripts/test-mutants.mjs', '--table']],
    ['size', process.execPath, ['scripts/check-size.mjs']],
    ['files of deploy/', process.execPath, ['scripts/check-deploy.mjs']],
    ['documents', process.execPath, ['scripts/check-docs.mjs']],
    ['unused code and dependencies', bin('knip'), ['--config', 'tooling/knip.json']],
    ['the iOS shell', process.execPath, ['scripts/check-swift.mjs']],
    // Two programs, each with all packages that have the same globals: a program per package would check shared code
    // repeatedly.
    ['types, without a page', process.execPath, [typescript, '-p', 'tooling/tsconfig.node.json']],
    ['types, of pages', process.execPath, [typescript, '-p', 'tooling/tsconfig.dom.json']],
    // React has another JSX than the pages for guests and doors, and React Native other globals than pages.
    ['types, of the dashboard', process.execPath, [typescript, '-p', 'apps/dashboard/tsconfig.json']],
    ['types, of React Native', process.execPath, [typescript, '-p', 'packages/device-sdk-react-native/tsconfig.json']],
    [
      'promises and exhaustive switches',
      bin('oxlint'),
      [
        ...['--config', 'tooling/oxlint.json', '--type-aware', '--deny-warnings'],
        // Patterns of the configuration are relative to its own folder.
        ...['**/dist/**', 'wasm/**', '**/*.mjs', '**/*.js', '**/*.config.ts'].map((path) => `--ignore-pattern=${path}`),
        '.',
      ],
    ],
  ],
];

script(async () => {
  setup();
  const failed = [];
  async function walk(steps) {
    for (const [name, command, args, options] of steps) {
      const startedAt = performance.now();
      try {
        const output = await runAside(command, args, options);
        if (name === 'size' || output.startsWith('skipped: ')) process.stdout.write(output);
        process.stdout.write(`check: ${name} ok (${((performance.now() - startedAt) / 1000).toFixed(1)} s)\n`);
      } catch (error) {
        if (!(error instanceof SetupError)) throw error;
        failed.push(name);
        process.stderr.write(`${error.message}\n`);
        process.stdout.write(`check: ${name} FAILED\n`);
      }
    }
  }
  if (availableParallelism() > 1) await Promise.all(lanes.map(walk));
  else for (const steps of lanes) await walk(steps);
  if (failed.length > 0) throw new SetupError(`failed: ${failed.join(', ')}`);
});
