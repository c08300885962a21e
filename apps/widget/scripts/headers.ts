import { contentTypeOf, IMMUTABLE, type SiteHeaders } from '@svc/site-build';
import { ENGINE_ENCODING, isOfEngine } from './engine-folder.ts';

/**
 * The page runs its own scripts and nothing else, talks to the API alone, and may be in anybody's frame: what a token
 * can do, its holder can do without a frame as well (docs/threat-model.md).
 * @param apiOrigin the API's where it is not the site's own
 */
export function pagePolicy(apiOrigin: string | null): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    // A chosen file's size is read before it is decoded.
    "img-src 'self' blob:",
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

/**
 * How long a page that is loaded anew may still have the former loader; the page in the frame knows loaders that are
 * older.
 */
const LOADER_SECONDS = 600;

function policyOf(path: string, apiOrigin: string | null): string {
  if (path === 'index.html') return pagePolicy(apiOrigin);
  if (/^assets\/engine-worker-[\w-]+\.js$/.test(path)) return WORKER_POLICY;
  return "default-src 'none'";
}

function cacheOf(path: string): string {
  if (path.startsWith('assets/')) return IMMUTABLE;
  return path === 'widget.js' ? `public, max-age=${LOADER_SECONDS}` : 'no-cache';
}

/** What a page of another origin may load: the loader, its types, and the frame. */
const ANYBODYS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'widget.js': { 'Cross-Origin-Resource-Policy': 'cross-origin', 'Access-Control-Allow-Origin': '*' },
  'widget.d.ts': { 'Cross-Origin-Resource-Policy': 'cross-origin', 'Access-Control-Allow-Origin': '*' },
  'index.html': {
    // So that pages with a `Cross-Origin-Embedder-Policy` of their own may frame it.
    'Cross-Origin-Resource-Policy': 'cross-origin',
    'Cross-Origin-Embedder-Policy': 'require-corp',
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Permissions-Policy': 'camera=(self), microphone=(), geolocation=(), display-capture=()',
    'Referrer-Policy': 'no-referrer',
  },
};

/** Headers that each file of the site has to be served with, by any server. */
export function headersFor(apiOrigin: string | null): SiteHeaders {
  return (path) => ({
    'Content-Type': contentTypeOf(path),
    'Cache-Control': cacheOf(path),
    'Content-Security-Policy': policyOf(path, apiOrigin),
    // A worker of a page with this policy must have it too.
    ...(path.startsWith('assets/') ? { 'Cross-Origin-Embedder-Policy': 'require-corp' } : {}),
    ...(isOfEngine(path) ? { 'Content-Encoding': ENGINE_ENCODING } : {}),
    ...ANYBODYS[path],
  });
}
