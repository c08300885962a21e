import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundlePage, writeSite } from '@svc/site-build';
import { headersOf } from './headers.ts';

export { PAGE_POLICY } from './headers.ts';

/** Folder of this package. */
export const root = join(dirname(fileURLToPath(import.meta.url)), '..');

/** Path below which the service serves the page. */
const BASE = '/dashboard/';

/** The protocol's schemas and zod would be most of the page; a constant of theirs in a statement brings them in. */
async function refuseSchemas(outDir: string): Promise<void> {
  const folder = join(outDir, 'assets');
  for (const name of readdirSync(folder)) {
    if (name.endsWith('.js') && (await readFile(join(folder, name), 'utf8')).includes('_zod')) {
      throw new Error(`${name} contains zod: import a type of the protocol, or a constant that needs no schema`);
    }
  }
}

/** Builds the page into a folder, which is emptied first; `site.json` lists each file with its headers. */
export async function buildDashboard({ outDir }: { readonly outDir: string }): Promise<void> {
  const texts = readdirSync(join(root, 'src', 'text')).filter((name) => name.endsWith('.json'));
  const languages = texts.map((name) => name.slice(0, -'.json'.length));
  await bundlePage({ root, html: join(root, 'index.html'), outDir, base: BASE, languages });
  await refuseSchemas(outDir);
  await writeSite(outDir, headersOf);
}
