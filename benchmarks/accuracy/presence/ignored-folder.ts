import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, realpathSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

/**
 * Makes a folder for pictures of real people, and sees to it that no commit could take them along: it lies in no work tree of git, or git ignores it.
 *
 * @returns its path
 * @throws RangeError where git would see what is in it; then nothing is made
 */
export function ignoredFolder(path: string): string {
  let parent = resolve(path);
  while (!existsSync(parent)) parent = dirname(parent);
  // Where a link leads counts, not where it lies.
  const folder = join(realpathSync(parent), relative(parent, resolve(path)));
  execFileSync('git', ['--version'], { stdio: 'ignore' });
  const git = (...args: string[]): boolean =>
    spawnSync('git', ['-C', realpathSync(parent), ...args], { stdio: 'ignore' }).status === 0;
  // A folder can be ignored in itself without what lies in it.
  if (git('rev-parse', '--is-inside-work-tree') && !git('check-ignore', '--quiet', join(folder, 'index.json')))
    throw new RangeError('photos of real people do not go where git sees them');
  mkdirSync(folder, { recursive: true });
  return folder;
}
