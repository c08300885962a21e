import { access, constants, readdir, stat } from 'node:fs/promises';
import { extname, join, resolve } from 'node:path';
import { CliError } from './cli-error.ts';

/** Resolves a path against the user's working directory: `npm run svc` itself runs in another one. */
export function fromInvocation(path: string): string {
  return resolve(process.env.SVC_INVOKED_FROM ?? process.cwd(), path);
}

/** What a folder camera plays. */
export const cameraExtensions = ['.jpg', '.jpeg', '.png'];

/**
 * Photos of a folder in name order; numbers within names are compared as numbers, so frame 9 comes before frame 10.
 * @throws CliError if the folder cannot be read or has no photo
 */
export async function photosIn(folder: string, extensions = [...cameraExtensions, '.pgm']): Promise<string[]> {
  const names = await readdir(folder).catch((cause: unknown) => {
    throw new CliError(`${folder}: cannot be read as a folder`, undefined, { cause });
  });
  const photos = names.filter((name) => extensions.includes(extname(name).toLowerCase()));
  if (photos.length === 0) throw new CliError(`${folder}: holds no ${extensions.join(', ')} file`);
  const collator = new Intl.Collator('en', { numeric: true });
  return photos.sort((a, b) => collator.compare(a, b) || (a < b ? -1 : 1)).map((name) => join(folder, name));
}

/** @throws CliError unless the path is a regular file that can be read */
export async function requireFile(path: string): Promise<void> {
  const found = await stat(path).catch(() => null);
  if (!found) throw new CliError(`${path}: no such file`);
  if (!found.isFile()) throw new CliError(`${path}: not a file`);
  await access(path, constants.R_OK).catch((cause: unknown) => {
    throw new CliError(`${path}: cannot be read`, undefined, { cause });
  });
}
