import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ApiConfig } from '../config/config.ts';

const folderOf = ({ dataDirectory, keyStoreDirectory }: ApiConfig) =>
  join(keyStoreDirectory ?? join(dataDirectory, 'keys'), 'keys');

/** A deployment's key files, as the folder store names them: `<owner>.<epoch>`. @param owners default: all */
export async function keyFiles(config: ApiConfig, owners?: readonly string[]): Promise<string[]> {
  const names = await readdir(folderOf(config));
  return owners === undefined ? names : names.filter((name) => owners.some((owner) => name.startsWith(`${owner}.`)));
}

/** Deletes an owner's keys without the store's knowledge, like a disk failure. */
export async function loseKeys(config: ApiConfig, owner: string): Promise<void> {
  for (const name of await keyFiles(config, [owner])) await rm(join(folderOf(config), name));
}
