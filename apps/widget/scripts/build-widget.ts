import { createHash } from 'node:crypto';
import { copyFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants } from 'node:zlib';
import { analyserModels } from '@svc/face-engine';
import { manifestOfModels, modelFiles } from '@svc/face-models';
import { openModelBundle } from '@svc/face-models/node';
import {
  bundleInline,
  bundlePage,
  bundleScript,
  contentTypeOf,
  IMMUTABLE,
  type SiteHeaders,
  writeSite,
} from '@svc/page-kit/build';
import type { EnginePart } from '../src/capture/guide/engine-host.ts';

interface PagePolicyOptions {
  readonly apiOrigin: string | null;
  readonly headScript: string | null;
}

/**
 * The page runs its own scripts only, talks to the API only, and may be framed by any page: a token's holder gains
 * nothing by a frame (docs/operate/threat-model.md).
 * @param o.apiOrigin the API's origin if the site has another one
 * @param o.headScript SHA-256 of the script in the page's head, base64
 */
function pagePolicy({ apiOrigin, headScript }: PagePolicyOptions): string {
  return [
    "default-src 'none'",
    ['script-src', "'self'", ...(headScript === null ? [] : [`'sha256-${headScript}'`])].join(' '),
    "style-src 'self'",
    // `blob:` is needed to read a chosen file's size before decoding it; `data:` is the organiser's logo.
    "img-src 'self' blob: data:",
    ['connect-src', "'self'", ...(apiOrigin === null ? [] : [apiOrigin])].join(' '),
    "worker-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    'frame-ancestors *',
    "require-trusted-types-for 'script'",
    'trusted-types default',
  ].join('; ');
}

/** The engine's worker compiles the core's WebAssembly, evaluates no text, and reads the models beside it. */
const WORKER_POLICY = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'";

/** For how long browsers may cache the loader. The page in the frame supports older loaders. */
const LOADER_SECONDS = 600;

function policyOf(path: string, o: PagePolicyOptions): string {
  if (path === 'index.html') return pagePolicy(o);
  if (/^assets\/engine-worker-[\w-]+\.js$/.test(path)) return WORKER_POLICY;
  return "default-src 'none'";
}

function cacheOf(path: string): string {
  if (path.startsWith('assets/')) return IMMUTABLE;
  return path === 'widget.js' ? `public, max-age=${LOADER_SECONDS}` : 'no-cache';
}

/** Files that pages of other origins may load: the loader, its types, and the frame. */
const PUBLIC_FILES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'widget.js': { 'Cross-Origin-Resource-Policy': 'cross-origin', 'Access-Control-Allow-Origin': '*' },
  'widget.d.ts': { 'Cross-Origin-Resource-Policy': 'cross-origin', 'Access-Control-Allow-Origin': '*' },
  'index.html': {
    // Allows framing by pages with a `Cross-Origin-Embedder-Policy` of their own.
    'Cross-Origin-Resource-Policy': 'cross-origin',
    'Cross-Origin-Embedder-Policy': 'require-corp',
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Permissions-Policy': 'camera=(self), microphone=(), geolocation=(), display-capture=()',
    'Referrer-Policy': 'no-referrer',
  },
};

/** Headers with which a server must send each file of the site. */
function headersFor(o: PagePolicyOptions): SiteHeaders {
  return (path) => ({
    'Content-Type': contentTypeOf(path),
    'Cache-Control': cacheOf(path),
    'Content-Security-Policy': policyOf(path, o),
    // A worker must have this header too if its page has it.
    ...(path.startsWith('assets/') ? { 'Cross-Origin-Embedder-Policy': 'require-corp' } : {}),
    ...PUBLIC_FILES[path],
  });
}

/** Folder of this package. */
export const root = join(dirname(fileURLToPath(import.meta.url)), '..');

/** The page's policy when the API serves it, for a page without a script in its head. */
export const PAGE_POLICY = pagePolicy({ apiOrigin: null, headScript: null });

/**
 * Bundles the development page that shows the step named in the URL hash. Tests put the guest's picture beside it as
 * `face.jpg`.
 * @param wordings of the consent, by language
 * @returns the page's path below `outDir`
 */
export async function bundleGallery(outDir: string, wordings: object): Promise<string> {
  const define = { __WORDINGS__: JSON.stringify(wordings) };
  await bundlePage({ root, html: join(root, 'src', 'testing', 'gallery.html'), outDir, define });
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

/** Where the script of the head stands in `index.html`: before the styles, which a script after them would wait for. */
const START_MARK = '<!-- start -->';

/** The built texts that are fetched on demand: language → path below the site's folder. */
async function textsBelow(outDir: string): Promise<Readonly<Record<string, string>>> {
  const written = await readdir(join(root, 'src', 'page', 'text', 'generated'));
  const languages = written.filter((name) => name !== 'en.json').map((name) => name.slice(0, -'.json'.length));
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
    __ENGINE_FILES__: JSON.stringify(engine.parts),
  };
  // Without SIMD guidance comes too late: the core's other build would never be of use.
  const alias = { '@svc/wasm/scalar': '@svc/wasm/simd' };
  await bundlePage({ root, html: join(root, 'index.html'), outDir, define, alias, workerFormat: 'iife' });
  const headScript = await addStart(outDir, define);
  await engine.write(outDir);
  const entry = join(root, 'src', 'loader', 'widget.ts');
  await bundleScript({ root, entry, outDir, fileName: 'widget.js', target: LOADER_TARGET });
  // It holds types only.
  await copyFile(join(root, 'src/loader/api.ts'), join(outDir, 'widget.d.ts'));
  await writeSite(outDir, headersFor({ apiOrigin, headScript }));
}

/** Larger files are cut, so that a download that breaks off loses little. */
const PART_BYTES = 512 * 1024;

function partsOf(name: string, bytes: Uint8Array) {
  const starts = Array.from({ length: Math.ceil(bytes.length / PART_BYTES) }, (_, i) => i * PART_BYTES);
  return starts.map((at, i) => {
    const content = bytes.subarray(at, at + PART_BYTES);
    const path = starts.length === 1 ? name : `${name}.${i}`;
    // Near enough for a progress, and quick.
    const sent = brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } });
    const part: EnginePart = { name, path, at, bytes: content.length, sentBytes: sent.length };
    return { part, content };
  });
}

/**
 * What the engine's worker is given: the models that find a face and measure its quality, which the core runs. Models
 * that make templates are not included.
 * @throws ModelError `model-missing` if the models were not built
 */
async function readEngineFolder() {
  const bundle = await openModelBundle({ addOnDirectory: null });
  const files = await modelFiles(bundle, manifestOfModels(bundle.manifest, analyserModels));
  const hash = createHash('sha256').update(`${PART_BYTES}\n`);
  for (const [name, bytes] of files) hash.update(`${name} ${bytes.length}\n`).update(bytes);
  const path = `assets/engine-${hash.digest('hex').slice(0, 16)}/`;
  const cut = files.flatMap(([name, bytes]) => partsOf(name, bytes));
  return {
    /** Relative to the site, ends in a slash; contains a hash of the content. */
    path,
    /** What the page fetches. */
    parts: cut.map(({ part }) => part),
    async write(outDir: string) {
      await mkdir(join(outDir, path), { recursive: true });
      for (const { part, content } of cut) await writeFile(join(outDir, path, part.path), content);
    },
  };
}

/** Run as a program it builds into `dist/`. `SVC_WIDGET_API_URL`: the API's address, for a site of another server. */
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await buildWidget({ outDir: join(root, 'dist'), apiUrl: process.env.SVC_WIDGET_API_URL || undefined });
}
