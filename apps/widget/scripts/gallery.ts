import { join } from 'node:path';
import { bundlePage } from '@svc/site-build';
import { pagePolicy } from './page-policy.ts';
import { root } from './root.ts';

/** The policy that the page has where the API serves it. */
export const PAGE_POLICY = pagePolicy(null);

/**
 * Bundles the page that shows any one step: `#` and the name of it. For tests and for looking at; `face.jpg` beside it is who is to be seen.
 * @returns the page's path below `outDir`
 */
export async function bundleGallery(outDir: string): Promise<string> {
  await bundlePage({ root, html: join(root, 'src', 'testing', 'gallery.html'), outDir });
  return 'src/testing/gallery.html';
}
