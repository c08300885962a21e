import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundlePage, bundleScript, writeSite } from '@svc/site-build';
import ts from 'typescript';
import { readEngineFolder } from './engine-folder.ts';
import { headersFor, pagePolicy } from './headers.ts';

/** Folder of this package. */
export const root = join(dirname(fileURLToPath(import.meta.url)), '..');

/** The policy that the page has where the API serves it. */
export const PAGE_POLICY = pagePolicy(null);

/**
 * Bundles the page that shows any one step: `#` and the name of it. For tests and for looking at; `face.jpg` beside it
 * is who is to be seen.
 * @returns the page's path below `outDir`
 */
export async function bundleGallery(outDir: string): Promise<string> {
  await bundlePage({ root, html: join(root, 'src', 'testing', 'gallery.html'), outDir });
  return 'src/testing/gallery.html';
}

export interface BuildWidgetOptions {
  /** Emptied first. */
  readonly outDir: string;
  /** The API's address, `https://…`; left out where the API itself serves the site, at `/widget/`. */
  readonly apiUrl?: string | undefined;
}

/**
 * Syntax of the loader: it is parsed by whatever browser an organiser's visitors have, also by those that it then turns
 * away.
 */
const LOADER_TARGET = 'es2015';

/** The loader's types, as they are published: `widget.d.ts` beside `widget.js`. */
async function declareTypes(): Promise<string> {
  const fileName = join(root, 'src', 'loader', 'api.ts');
  const { outputText, diagnostics = [] } = ts.transpileDeclaration(await readFile(fileName, 'utf8'), { fileName });
  if (diagnostics.length > 0) throw new Error('the types of the loader cannot be declared');
  return outputText;
}

/**
 * Builds the widget's site into a folder, ready to be put behind any web server: the page, the loader, its types, and
 * `site.json`, which says what each file is and how it is served.
 * @throws TypeError where `apiUrl` is no address.
 * @throws ModelError `model-missing` where the models were not built
 */
export async function buildWidget({ outDir, apiUrl }: BuildWidgetOptions): Promise<void> {
  const apiOrigin = apiUrl === undefined ? null : new URL(apiUrl).origin;
  const engine = await readEngineFolder();
  const define = { __API_URL__: JSON.stringify(apiUrl ?? '..'), __ENGINE_FOLDER__: JSON.stringify(engine.path) };
  await bundlePage({ root, html: join(root, 'index.html'), outDir, define, workerFormat: 'iife' });
  await engine.write(outDir);
  const entry = join(root, 'src', 'loader', 'widget.ts');
  await bundleScript({ root, entry, outDir, fileName: 'widget.js', target: LOADER_TARGET });
  await writeFile(join(outDir, 'widget.d.ts'), await declareTypes());
  await writeSite(outDir, headersFor(apiOrigin));
}
