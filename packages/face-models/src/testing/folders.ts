import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

/** Path in the folder of public test data beside the repository; null if it is missing. */
export function sharedData(...path: readonly string[]): string | null {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'pnpm-workspace.yaml'))) folder = dirname(folder);
  const found = join(folder, '..', 'shared', ...path);
  return existsSync(found) ? found : null;
}

/** An empty folder, removed when the test ends. */
export async function temporaryDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'svc-face-models-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return directory;
}
