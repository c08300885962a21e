/**
 * The release before this one, built from its commit in a folder of its own, for the tests of upgrades. The commit is
 * named in `scripts/former-release.json`; preparing a release (docs/internals/releasing.md) moves it on.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { pnpm, root, run, SetupError } from './setup.mjs';

/** What the tests use of it: its service, its command line, its device SDK for Node. */
const USED = ['@svc/api...', '@svc/cli...', '@svc/device-sdk-node...'];

export const formerRelease = () => JSON.parse(readFileSync(join(root, 'scripts', 'former-release.json'), 'utf8'));

const git = (...args) => spawnSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 1 << 28 });

/**
 * Builds the former release, or takes the folder of an earlier run.
 * @returns its folder; null where the history does not go back to its commit
 * @throws SetupError if it does not build
 */
export function buildFormerRelease() {
  const { commit } = formerRelease();
  const folder = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'svc', 'former', commit.slice(0, 12));
  if (existsSync(join(folder, '.built'))) return folder;
  if (git('cat-file', '-e', `${commit}^{commit}`).status !== 0) return null;
  mkdirSync(dirname(folder), { recursive: true });
  // Renamed when it is whole: an interrupted build leaves no folder that looks like one.
  const made = mkdtempSync(`${folder}-`);
  try {
    const archive = join(made, 'release.tar');
    if (git('archive', '--format=tar', '--output', archive, commit).status !== 0)
      throw new SetupError('git archive failed');
    run('tar', ['-xf', archive, '-C', made], { quiet: true });
    rmSync(archive);
    rmSync(folder, { recursive: true, force: true });
    renameSync(made, folder);
    const options = { cwd: folder, quiet: true, env: { CI: 'true', SVC_ADD_ONS_STATE: 'none' } };
    const filters = ['.', ...USED].flatMap((name) => ['--filter', name]);
    pnpm([...filters, 'install', '--frozen-lockfile', '--prefer-offline', '--reporter=append-only'], options);
    const turbo = join(folder, 'node_modules', '.bin', 'turbo');
    run(turbo, ['run', 'prepare-sources', ...USED.map((name) => `--filter=${name}`)], options);
    run(turbo, ['run', 'build', '--only', '--filter=@svc/api'], options);
    writeFileSync(join(folder, '.built'), '');
    return folder;
  } catch (error) {
    rmSync(made, { recursive: true, force: true });
    throw error;
  }
}
