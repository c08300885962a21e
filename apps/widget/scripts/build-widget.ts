import { createHash } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleInline, bundlePage, bundleScript, writeSite } from '@svc/site-build';
import ts from 'typescript';
import { readEngineFolder } from './engine-folder.ts';
import { headersFor, pagePolicy } from './headers.ts';

/** Folder of this package. */
export const root = join(dirname(fileURLToPath(import.meta.url)), '..');

/** The page's policy when the API serves it, for a page without a script in its head. */
export const PAGE_POLICY = pagePolicy({ apiOrigin: null, headScript: null });

/**
 * Bundles the development page that shows the step named in the URL hash. Tests put the guest's picture beside it as
 * `face.jpg`.
 * @returns the page's path below `outDir`
 */
export async function bundleGallery(outDir: string): Promise<string> {
  await bundlePage({ root, html: join(root, 'src', 'testing', 'gallery.html'), outDir });
  return 'src/testing/gallery.html';
}

export interface BuildWidgetOptions {
  /** Emptied first. */
  readonly outDir: string;
  /** The API's address, `https://…`; left out if the API itself serves the site, at `/widget/`. */
  readonly apiUrl?: string | undefined;
}

/** Syntax level of the loader. Old browsers, which it turns away with an error event, must be able to parse it. */
const LOADER_TARGET = 'es2015';

/** The loader's published types: `widget.d.ts` beside `widget.js`. */
async function declareTypes(): Promise<string> {
  const fileName = join(root, 'src', 'loader', 'api.ts');
  const { outputText, diagnostics = [] } = ts.transpileDeclaration(await readFile(fileName, 'utf8'), { fileName });
  if (diagnostics.length > 0) throw new Error('the types of the loader cannot be declared');
  return outputText;
}

/** Where the script of the head stands in `index.html`: before the styles, which a script after them would wait for. */
const START_MARK = '<!-- start -->';

/** The built texts that are fetched on demand: language → path below the site's folder. */
async function textsBelow(outDir: string): Promise<Readonly<Record<string, string>>> {
  const written = await readdir(join(root, 'src', 'page', 'text'));
  const languages = written
    .filter((name) => name.endsWith('.json') && name !== 'en.json')
    .map((name) => name.slice(0, -5));
  const built = await readdir(join(outDir, 'assets'));
  return Object.fromEntries(
    languages.map((language) => {
      const [file, another] = built.filter((name) => name.startsWith(`${language}-`) && name.endsWith('.js'));
      if (file === undefined || another !== undefined) throw new Error(`the texts in ${language} are not one file`);
      return [language, `assets/${file}`];
    }),
  );
}

/**
 * Puts `start.ts` into the built page. In a file of its own it would come a round trip later.
 * @returns its SHA-256 in base64
 */
async function addStart(outDir: string, define: Readonly<Record<string, string>>): Promise<string> {
  const script = await bundleInline({
    root,
    entry: join(root, 'src', 'page', 'start', 'start.ts'),
    define: { ...define, __TEXTS__: JSON.stringify(await textsBelow(outDir)) },
  });
  const path = join(outDir, 'index.html');
  const [before, after] = (await readFile(path, 'utf8')).split(START_MARK);
  if (before === undefined || after === undefined || before.includes('stylesheet')) throw new Error('no place for it');
  await writeFile(path, `${before}<script>${script}</script>${after}`);
  return createHash('sha256').update(script).digest('base64');
}

/**
 * Builds the widget's site into a folder that any web server can serve: the page, the loader, its types, and
 * `site.json`, which lists each file with its headers.
 * @throws TypeError if `apiUrl` is not an address
 * @throws ModelError `model-missing` if the models were not built
 */
export async function buildWidget({ outDir, apiUrl }: BuildWidgetOptions): Promise<void> {
  const apiOrigin = apiUrl === undefined ? null : new URL(apiUrl).origin;
  const engine = await readEngineFolder();
  const define = {
    __API_URL__: JSON.stringify(apiUrl ?? '..'),
    __ENGINE_FOLDER__: JSON.stringify(engine.path),
    __ENGINE_FILES__: JSON.stringify(engine.files),
  };
  // A classic worker is one file, and its runtime needs SIMD: the core's other build would never be of use.
  const alias = { '@svc/wasm/scalar': '@svc/wasm/simd' };
  await bundlePage({ root, html: join(root, 'index.html'), outDir, define, alias, workerFormat: 'iife' });
  const headScript = await addStart(outDir, define);
  await engine.write(outDir);
  const entry = join(root, 'src', 'loader', 'widget.ts');
  await bundleScript({ root, entry, outDir, fileName: 'widget.js', target: LOADER_TARGET });
  await writeFile(join(outDir, 'widget.d.ts'), await declareTypes());
  await writeSite(outDir, headersFor({ apiOrigin, headScript }));
}
