// Checks every publishable package as npm would get it: installed from its tarball it loads by import and require and
// works, and its types agree for both (attw). `--bundlers` also builds a page with Vite and webpack and runs it in
// Chromium.
import { execFile, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { root } from './lib/setup.mjs';
import { createThrowawayProject } from './tarballs/throwaway-project.mjs';

const execute = promisify(execFile);

async function checkTypes({ name, path, manifest }) {
  // Not node10: a resolution without `exports` finds only the main entry point.
  const args = [path, '--profile', 'node16', '--format', 'ascii', '--no-emoji', '--no-color'];
  // Entry points of the workspace alone, and Expo's config plugin, which is found by its name and has no types.
  const untyped = Object.entries(manifest.exports).flatMap(([entry, conditions]) =>
    Object.keys(conditions).join() === 'svc-source' || entry === './app.plugin.js' ? [entry] : [],
  );
  if (untyped.length > 0) args.push('--exclude-entrypoints', ...untyped);
  await execute(join(root, 'node_modules', '.bin', 'attw'), args, { maxBuffer: 1 << 26 }).catch((error) => {
    process.stdout.write(`${name}: ${error.stdout}${error.stderr}\n`);
    process.exitCode = 1;
  });
}

const project = await createThrowawayProject();
try {
  const use = join(root, 'scripts', 'tarballs', 'use-packages.mjs');
  const { status } = spawnSync(process.execPath, [use, project.directory], { stdio: 'inherit' });
  if (status !== 0) process.exitCode = 1;
  for (const tarball of project.tarballs) await checkTypes(tarball);
  if (process.argv.includes('--bundlers')) {
    const { checkBundlers } = await import('./tarballs/check-bundlers.mjs');
    await checkBundlers(project.directory);
  }
  if (process.exitCode === undefined) process.stdout.write(`${project.tarballs.length} tarballs installed and used\n`);
} finally {
  project.remove();
}
