import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

function repositoryRoot(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'pnpm-workspace.yaml'))) folder = dirname(folder);
  return folder;
}

/** Text of a file of published test data that may lie beside the repository; null where it does not. */
export function readSharedData(path: string): string | null {
  const file = join(repositoryRoot(), '..', 'shared', 'data', path);
  return existsSync(file) ? readFileSync(file, 'utf8') : null;
}
