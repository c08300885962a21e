import { join } from 'node:path';
import { bundlePage, writeSite } from '@svc/page-kit/build';
import { headersFor, readEngineFolder, root } from '../../../scripts/build-widget.ts';

export type { CapturePage, PhotoOutside } from './capture-page.ts';

/**
 * Builds a page that contains only the photo capture, with the headers of the widget's page. For tests.
 * @param outDir emptied first
 */
export async function buildCapturePage(outDir: string): Promise<void> {
  const folder = join(root, 'src', 'capture', 'testing');
  const engine = await readEngineFolder();
  const define = {
    __ENGINE_FOLDER__: JSON.stringify(engine.path),
    __ENGINE_FILES__: JSON.stringify(engine.files),
  };
  await bundlePage({ root: folder, html: join(folder, 'index.html'), outDir, define, workerFormat: 'iife' });
  await engine.write(outDir);
  await writeSite(outDir, headersFor({ apiOrigin: null, headScript: null }));
}
