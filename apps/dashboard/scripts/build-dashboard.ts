import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundlePage, contentTypeOf, IMMUTABLE, writeSite } from '@svc/page-kit/build';

/** Folder of this package. */
export const root = join(dirname(fileURLToPath(import.meta.url)), '..');

/** Path below which the service serves the page. */
const BASE = '/dashboard/';

/** The page runs its own scripts and styles only, and talks to the service that sent it. */
const PAGE_POLICY = [
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
function headersOf(path: string): Readonly<Record<string, string>> {
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
  await bundlePage({ root, html: join(root, 'index.html'), outDir, base: BASE });
  await refuseSchemas(outDir);
  await writeSite(outDir, headersOf);
}
