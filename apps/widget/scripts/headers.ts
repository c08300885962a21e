import { contentTypeOf, IMMUTABLE, type SiteHeaders } from '@svc/site-build';

export interface PagePolicyOptions {
  readonly apiOrigin: string | null;
  readonly headScript: string | null;
}

/**
 * The page runs its own scripts only, talks to the API only, and may be framed by any page: a token's holder gains
 * nothing by a frame (docs/threat-model.md).
 * @param o.apiOrigin the API's origin if the site has another one
 * @param o.headScript SHA-256 of the script in the page's head, base64
 */
export function pagePolicy({ apiOrigin, headScript }: PagePolicyOptions): string {
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
const ANYBODYS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
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
export function headersFor(o: PagePolicyOptions): SiteHeaders {
  return (path) => ({
    'Content-Type': contentTypeOf(path),
    'Cache-Control': cacheOf(path),
    'Content-Security-Policy': policyOf(path, o),
    // A worker must have this header too if its page has it.
    ...(path.startsWith('assets/') ? { 'Cross-Origin-Embedder-Policy': 'require-corp' } : {}),
    ...ANYBODYS[path],
  });
}
