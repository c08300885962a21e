/**
 * Pictures of every step of the widget in three widths, light and dark, and two languages, compared with those of a
 * commit.
 *
 *   npm run screenshots:widget -- [--against REF] [--out DIR] [--only STEP]
 *
 * The default folder is `screenshots/` of the package, which git ignores. Exits with 1 if a picture differs.
 */
import { join } from 'node:path';
import { bundleGallery, PAGE_POLICY } from '@svc/widget/build';
import { screenshots } from '../../support/screenshots.ts';
import { serveGallery, showStep } from '../gallery.ts';

/** A phone upright, a phone in landscape or a page's column, a desktop; CSS pixels. */
const widths = [320, 640, 1280] as const;
const queries = Object.fromEntries(
  ['light', 'dark'].flatMap((theme) =>
    ['en', 'de'].map((language) => [`${theme}-${language}`, `theme=${theme}&lang=${language}`]),
  ),
);

process.exitCode = await screenshots(
  {
    app: 'widget',
    defaultOut: join(import.meta.dirname, '../../../screenshots'),
    bundle: bundleGallery,
    serve: (folder, path) => serveGallery(folder, path, PAGE_POLICY),
    show: (page, name) => showStep(page, name, { shapedWithinMs: 2_000 }),
    windows: widths.map((width) => ({ name: String(width), context: { viewport: { width, height: 900 } }, queries })),
    fullPage: true,
  },
  process.argv.slice(2),
);
