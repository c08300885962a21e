import { join } from 'node:path';
import { bundlePage } from '@svc/site-build';
import { root } from './root.ts';

export { PAGE_POLICY } from './headers.ts';

/** Bundles the page that shows any one screen: `#` and the name of it. For tests and for looking at. @returns the page's path below `outDir` */
export async function bundleGallery(outDir: string): Promise<string> {
  await bundlePage({ root, html: join(root, 'src', 'testing', 'gallery.html'), outDir });
  return 'src/testing/gallery.html';
}
