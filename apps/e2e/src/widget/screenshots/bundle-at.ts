import { execFile } from 'node:child_process';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const root = join(dirname(fileURLToPath(import.meta.url)), '../../../../..');

/**
 * Bundles the gallery as it was at a commit, with the dependencies of that commit, in a folder of its own.
 * @returns false where there was none yet
 * @throws Error where git does not know the commit, or a dependency of it is not in the local store
 */
export async function bundleGalleryAt(ref: string, outDir: string): Promise<boolean> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-before-'));
  const tree = join(folder, 'tree');
  await run('git', ['worktree', 'add', '--detach', tree, ref], { cwd: root });
  try {
    const widget = join(tree, 'apps', 'widget');
    const hasGallery = await stat(join(widget, 'scripts', 'gallery.ts')).then(
      () => true,
      () => false,
    );
    if (!hasGallery) return false;
    const pnpm = join(root, '.tools', 'node_modules', '.bin', 'pnpm');
    const install = ['install', '--offline', '--frozen-lockfile', '--ignore-scripts', '--filter', '@svc/widget...'];
    await run(pnpm, install, { cwd: tree });
    const source = `import { bundleGallery } from '@svc/widget/gallery'; await bundleGallery(process.argv[1]);`;
    const node = ['--conditions=svc-source', '--import', 'tsx', '--input-type=module', '--eval', source, outDir];
    await run(process.execPath, node, { cwd: widget });
    return true;
  } finally {
    await run('git', ['worktree', 'remove', '--force', tree], { cwd: root });
    await rm(folder, { recursive: true, force: true });
  }
}
