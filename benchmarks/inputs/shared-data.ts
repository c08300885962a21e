import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Path in the folder of public test data beside the repository, or null if it is missing. */
export function sharedData(...path: readonly string[]): string | null {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'pnpm-workspace.yaml'))) folder = dirname(folder);
  const found = join(folder, '..', 'shared', ...path);
  return existsSync(found) ? found : null;
}
