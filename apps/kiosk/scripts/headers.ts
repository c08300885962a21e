import { ENGINE_WORKER_POLICY } from '@svc/device-sdk-web/assets';
import { contentTypeOf, IMMUTABLE } from '@svc/site-build';

/** The page runs its own scripts only; `wasm-unsafe-eval` allows the core's WebAssembly but no evaluation of text. */
export const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "style-src 'self'",
  "img-src 'self'",
  "media-src 'self'",
  "connect-src 'self'",
  "worker-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types default',
].join('; ');

const CODE_WORKER_POLICY = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'";
const SERVICE_WORKER_POLICY = "default-src 'none'; script-src 'self'; connect-src 'self'";

/** A name with a hash of the content always has the same content. */
const isHashed = (path: string): boolean => /^(assets|engine-[0-9a-f]{16})\//.test(path);

function policyOf(path: string): string {
  if (path === 'index.html') return PAGE_POLICY;
  if (path === 'sw.js') return SERVICE_WORKER_POLICY;
  if (/^assets\/code-worker-[\w-]+\.js$/.test(path)) return CODE_WORKER_POLICY;
  if (/^engine-[0-9a-f]{16}\/engine-worker\.js$/.test(path)) return ENGINE_WORKER_POLICY;
  return "default-src 'none'";
}

/** Headers with which a server must send a file of the page. */
export function headersOf(path: string): Readonly<Record<string, string>> {
  return {
    'Content-Type': contentTypeOf(path),
    'Cache-Control': isHashed(path) ? IMMUTABLE : 'no-cache',
    'Content-Security-Policy': policyOf(path),
    ...(path === 'index.html'
      ? {
          'Permissions-Policy': 'camera=(self), microphone=(), geolocation=()',
          'Cross-Origin-Opener-Policy': 'same-origin',
        }
      : {}),
  };
}
