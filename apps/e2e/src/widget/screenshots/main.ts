/**
 * Pictures of every step of the widget in three widths, light and dark, two languages, and what differs from those of a commit.
 *
 *   npm run screenshots:widget -- [--against REF] [--out DIR] [--only STEP]
 *
 * Pictures go to `screenshots/` of the package unless told otherwise, and stay out of git. Ends with 1 where something differs.
 */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { chromiumPath, launchChromium } from '@svc/benchmarks/inputs/browser';
import { bundleGallery, PAGE_POLICY } from '@svc/widget/gallery';
import type { Browser } from 'playwright-core';
import { serveGallery } from '../gallery.ts';
import { bundleGalleryAt } from './bundle-at.ts';
import { comparePictures } from './compare-pictures.ts';
import { takePictures } from './take-pictures.ts';

const { values } = parseArgs({
  // A package manager hands on the `--` that separates its own options.
  args: process.argv.slice(2).filter((argument) => argument !== '--'),
  options: {
    against: { type: 'string' },
    out: { type: 'string' },
    only: { type: 'string', default: '' },
  },
});
const out =
  values.out === undefined
    ? join(import.meta.dirname, '../../../screenshots')
    : resolve(process.env.INIT_CWD ?? '.', values.out);

/** @returns the names of the pictures, none where there was no gallery to take them of */
async function picture(
  browser: Browser,
  bundle: (folder: string) => Promise<string | null>,
  to: string,
): Promise<readonly string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-steps-'));
  try {
    const path = await bundle(folder);
    if (path === null) return [];
    const gallery = await serveGallery(folder, path, PAGE_POLICY);
    try {
      return await takePictures(browser, gallery.url, to, values.only);
    } finally {
      await gallery.close();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** @returns how many pictures differ, or are there on one side alone */
async function compare(names: readonly string[], before: readonly string[]): Promise<number> {
  await mkdir(join(out, 'differences'), { recursive: true });
  let different = 0;
  for (const name of new Set([...names, ...before])) {
    if (!names.includes(name) || !before.includes(name)) {
      console.log(`${name}: only ${names.includes(name) ? 'now' : 'before'}`);
      different += 1;
      continue;
    }
    const [old, now] = await Promise.all(
      ['before', 'now'].map((folder) => readFile(join(out, folder, `${name}.png`))) as [
        Promise<Buffer>,
        Promise<Buffer>,
      ],
    );
    const { pixels, picture: shown } = await comparePictures(old, now);
    if (shown === null) continue;
    await writeFile(join(out, 'differences', `${name}.png`), shown);
    console.log(`${name}: ${pixels} pixels`);
    different += 1;
  }
  return different;
}

if (chromiumPath !== undefined) {
  await rm(out, { recursive: true, force: true });
  const browser = await launchChromium();
  try {
    const names = await picture(browser, bundleGallery, join(out, 'now'));
    console.log(`${names.length} pictures in ${join(out, 'now')}`);
    if (values.against !== undefined) {
      const { against } = values;
      const bundleBefore = async (folder: string) =>
        (await bundleGalleryAt(against, folder)) ? 'src/testing/gallery.html' : null;
      const before = await picture(browser, bundleBefore, join(out, 'before'));
      if (before.length === 0) console.log(`${against} has no gallery of the widget: nothing to compare with`);
      else {
        const different = await compare(names, before);
        console.log(`${different} of ${names.length} differ from ${against}`);
        if (different > 0) process.exitCode = 1;
      }
    }
  } finally {
    await browser.close();
  }
}
