import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

function repositoryRoot(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'pnpm-workspace.yaml'))) folder = dirname(folder);
  return folder;
}

/** Text of a file of published test data beside the repository; null if it is missing. */
export function readSharedData(path: string): string | null {
  const file = join(repositoryRoot(), '..', 'shared', 'data', path);
  return existsSync(file) ? readFileSync(file, 'utf8') : null;
}
