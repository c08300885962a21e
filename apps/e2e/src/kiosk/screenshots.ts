/**
 * Pictures of every screen of the kiosk in seven sizes, light and dark, in English, German and Arabic, with forced
 * colours and at 200 % zoom, compared with those of a commit.
 *
 *   npm run screenshots:kiosk -- [--against REF] [--out DIR] [--only SCREEN]
 *
 * The default folder is `screenshots/kiosk/` of the package, which git ignores. Exits with 1 if a picture differs.
 */
import { join } from 'node:path';
import { bundleGallery, PAGE_POLICY } from '@svc/kiosk/build';
import { serveFolder } from '../support/gallery.ts';
import { screenshots } from '../support/screenshots.ts';
import { showScreen, sizes } from './gallery.ts';

const plain = { 'light-en': 'theme=light&lang=en' };

process.exitCode = await screenshots(
  {
    app: 'kiosk',
    defaultOut: join(import.meta.dirname, '../../screenshots/kiosk'),
    bundle: bundleGallery,
    async serve(folder, path) {
      const site = await serveFolder(folder, PAGE_POLICY);
      return { url: `${site.url}/${path}`, close: () => site.close() };
    },
    show: showScreen,
    windows: [
      ...sizes.map((viewport) => ({
        name: `${viewport.width}x${viewport.height}`,
        context: { viewport },
        queries: { ...plain, 'dark-de': 'theme=dark&lang=de', 'light-ar': 'theme=light&lang=ar' },
      })),
      { name: 'forced', context: { viewport: { width: 820, height: 1180 }, forcedColors: 'active' }, queries: plain },
      // A window of 1280 × 800 at 200 %.
      { name: 'zoomed', context: { viewport: { width: 640, height: 400 }, deviceScaleFactor: 2 }, queries: plain },
    ],
    fullPage: false,
  },
  process.argv.slice(2),
);
