// `npm install` of each tarball in a project of its own, from npm's registry, and the programs about it there. The
// packages of this release that it depends on come as tarballs too, since no registry has them yet.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../lib/setup.mjs';
import { checkPrograms, packageOf, programs } from './check-programs.mjs';

const installed = (folder, name) =>
  `${name}@${JSON.parse(readFileSync(join(root, folder, 'node_modules', name, 'package.json'), 'utf8')).version}`;

/** What a user has besides the package. */
const TOOLS = [installed('.', 'typescript'), installed('.', '@types/node')];
const REACT_NATIVE = ['react', 'react-native', '@types/react'].map((name) =>
  installed('packages/device-sdk-react-native', name),
);

function withDependencies(tarball, tarballs, found = new Set()) {
  found.add(tarball);
  for (const name of Object.keys(tarball.manifest.dependencies ?? {})) {
    const needed = tarballs.find((one) => one.name === name);
    if (needed !== undefined && !found.has(needed)) withDependencies(needed, tarballs, found);
  }
  return found;
}

/** @param tarballs of all publishable packages; what fails is printed and sets the exit code */
export async function checkByNpm(tarballs) {
  for (const tarball of tarballs) {
    const { name } = tarball;
    if (!programs.some(({ program }) => packageOf(program) === name)) throw new Error(`no program uses ${name}`);
    const directory = mkdtempSync(join(tmpdir(), 'svc-npm-'));
    try {
      writeFileSync(join(directory, 'package.json'), '{ "name": "consumer", "private": true }\n');
      const paths = [...withDependencies(tarball, tarballs)].map(({ path }) => path);
      const others = name.endsWith('react-native') ? [...TOOLS, ...REACT_NATIVE] : TOOLS;
      const npm = (...args) => execFileSync('npm', args, { cwd: directory, encoding: 'utf8', stdio: 'pipe' });
      const startedAt = performance.now();
      npm('install', '--no-audit', '--no-fund', '--prefer-offline', ...paths, ...others);
      // Fails for a dependency that is missing or of another version.
      npm('ls', '--all', '--omit=optional', '--omit=peer');
      const compiler = join(directory, 'node_modules', 'typescript', 'bin', 'tsc');
      const count = checkPrograms(directory, compiler, ({ program }) => packageOf(program) === name);
      const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
      process.stdout.write(`${name}: installed by npm, ${count} programs (${seconds} s)\n`);
    } catch (error) {
      process.stdout.write(`${name}: ${error.stdout ?? ''}${error.stderr ?? ''}${error.message}\n`);
      process.exitCode = 1;
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  }
}
