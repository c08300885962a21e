import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const renderer = fileURLToPath(new URL('../packages/synthetic-faces', import.meta.url));

/** Changes with any source of the renderer. */
function sourcesHash(): string {
  const hash = createHash('sha256');
  const names = readdirSync(join(renderer, 'src'), { recursive: true, encoding: 'utf8' }).sort();
  for (const name of names.filter((one) => one.endsWith('.ts')))
    hash.update(name).update(readFileSync(join(renderer, 'src', name)));
  return hash.digest('hex').slice(0, 16);
}

/**
 * The renderer as one native module: what the test runner makes of its sources takes a third longer, for every function of
 * another file is looked up at each call. Below `node_modules`, which the runner hands to Node as it is; the same sources
 * are bundled once.
 *
 * @returns what `resolve.alias` takes
 */
export async function nativeRenderer(): Promise<{ find: RegExp; replacement: string }[]> {
  const folder = join(renderer, 'node_modules/.cache/svc-renderer', sourcesHash());
  if (!existsSync(folder)) {
    const made = `${folder}.${process.pid}`;
    await build({
      configFile: false,
      root: renderer,
      logLevel: 'warn',
      build: {
        ssr: true,
        outDir: made,
        emptyOutDir: true,
        minify: false,
        target: 'node20',
        rolldownOptions: {
          input: join(renderer, 'src/index.ts'),
          output: { entryFileNames: '[name].mjs', chunkFileNames: '[name].mjs' },
        },
      },
    });
    // Another run may have been first.
    if (existsSync(folder)) rmSync(made, { recursive: true });
    else renameSync(made, folder);
  }
  return [{ find: /^@svc\/synthetic-faces$/, replacement: join(folder, 'index.mjs') }];
}
