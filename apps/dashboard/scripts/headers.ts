import { contentTypeOf, IMMUTABLE } from '@svc/site-build';

/** The page runs its own scripts and styles only, and talks to the service that sent it. */
export const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  // `blob:` for photos and files that stay on the organiser's machine, `data:` for logos in answers.
  "img-src 'self' blob: data:",
  "connect-src 'self'",
  "worker-src 'self'",
  // The live preview of the widget.
  "frame-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types default',
].join('; ');

/** Headers with which a server must send a file of the page. */
export function headersOf(path: string): Readonly<Record<string, string>> {
  const isPage = path === 'index.html';
  return {
    'Content-Type': contentTypeOf(path),
    'Cache-Control': path.startsWith('assets/') ? IMMUTABLE : 'no-cache',
    'Content-Security-Policy': isPage ? PAGE_POLICY : "default-src 'none'; script-src 'self'; connect-src 'self'",
    ...(isPage
      ? {
          'Permissions-Policy':
            'camera=(), microphone=(), geolocation=(), publickey-credentials-get=(self), publickey-credentials-create=(self)',
          'Cross-Origin-Opener-Policy': 'same-origin',
        }
      : {}),
  };
}
