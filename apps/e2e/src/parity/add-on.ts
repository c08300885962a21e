import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installMiniFasNet } from '@svc/face-models/node';
import { afterAll } from 'vitest';

/** Installs MiniFASNet into a folder that is removed after the file's tests. @param from folder with upstream's files */
export async function installAddOn(from: string): Promise<string> {
  const addOnDirectory = await mkdtemp(join(tmpdir(), 'svc-parity-'));
  afterAll(() => rm(addOnDirectory, { recursive: true, force: true }));
  await installMiniFasNet({ from, addOnDirectory });
  return addOnDirectory;
}
