/**
 * Pictures of every step of the widget in three widths, light and dark, and two languages, compared with those of a
 * commit.
 *
 *   npm run screenshots:widget -- [--against REF] [--out DIR] [--only STEP]
 *
 * The default folder is `screenshots/` of the package, which git ignores. Exits with 1 if a picture differs.
 */

import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { chromiumPath, launchChromium } from '@svc/benchmarks/inputs/browser';
import { bundleGallery, PAGE_POLICY } from '@svc/widget/build';
import type { Browser } from 'playwright-core';
import sharp from 'sharp';
import { galleryNames } from '../../support/gallery.ts';
import { serveGallery, showStep } from '../gallery.ts';

/** A phone upright, a phone in landscape or a page's column, a desktop; CSS pixels. */
const widths = [320, 640, 1280] as const;
const themes = ['light', 'dark'] as const;
const languages = ['en', 'de'] as const;

/**
 * A picture of every step in every width, theme and language, as `STEP-WIDTH-THEME-LANGUAGE.png`. Time, time zone and
 * motion are fixed.
 * @param only prefix of the steps' names; default: all
 * @returns the names of the pictures, without `.png`
 */
async function takePictures(browser: Browser, url: string, folder: string, only = ''): Promise<readonly string[]> {
  await mkdir(folder, { recursive: true });
  const taken: string[] = [];
  for (const width of widths) {
    const context = await browser.newContext({
      viewport: { width, height: 900 },
      reducedMotion: 'reduce',
      locale: 'en-GB',
      timezoneId: 'Europe/Berlin',
      deviceScaleFactor: 1,
    });
    const page = await context.newPage();
    for (const theme of themes) {
      for (const language of languages) {
        await page.goto(`${url}?theme=${theme}&lang=${language}`);
        for (const step of (await galleryNames(page)).filter((name) => name.startsWith(only))) {
          const name = `${step}-${width}-${theme}-${language}`;
          await showStep(page, step);
          // The current content is painted in the next frame.
          await page.evaluate(
            () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))),
          );
          await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true, caret: 'hide' });
          taken.push(name);
        }
      }
    }
    await context.close();
  }
  return taken;
}

/** Difference of a channel that is not yet visible. */
const TOLERANCE = 8;
const FADED = 0.25;

interface PictureDifference {
  /** Number of different pixels; all of the larger picture if the sizes differ. */
  readonly pixels: number;
  /** PNG of the new picture, faded, with the differences in red; null if there are none. */
  readonly picture: Uint8Array | null;
}

const decode = (png: Uint8Array) => sharp(png).removeAlpha().raw().toBuffer({ resolveWithObject: true });

/** Compares a picture with the former one. */
async function comparePictures(before: Uint8Array, now: Uint8Array): Promise<PictureDifference> {
  const [a, b] = await Promise.all([decode(before), decode(now)]);
  const { width, height } = b.info;
  if (a.info.width !== width || a.info.height !== height) {
    return { pixels: Math.max(a.info.width * a.info.height, width * height), picture: now };
  }
  const shown = Buffer.alloc(b.data.length);
  let pixels = 0;
  for (let at = 0; at < b.data.length; at += 3) {
    const differs = [0, 1, 2].some((c) => Math.abs((a.data[at + c] ?? 0) - (b.data[at + c] ?? 0)) > TOLERANCE);
    if (differs) pixels += 1;
    for (let c = 0; c < 3; c += 1) {
      const faded = 255 - (255 - (b.data[at + c] ?? 0)) * FADED;
      shown[at + c] = differs ? (c === 0 ? 220 : 0) : faded;
    }
  }
  if (pixels === 0) return { pixels, picture: null };
  return {
    pixels,
    picture: await sharp(shown, { raw: { width, height, channels: 3 } })
      .png()
      .toBuffer(),
  };
}

const run = promisify(execFile);
const root = join(dirname(fileURLToPath(import.meta.url)), '../../../../..');

/**
 * Bundles the gallery of a commit, with that commit's dependencies, in its own folder.
 * @returns false if the commit has no gallery
 * @throws Error if git does not know the commit, or a dependency is not in the local store
 */
async function bundleGalleryAt(ref: string, outDir: string): Promise<boolean> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-before-'));
  const tree = join(folder, 'tree');
  await run('git', ['worktree', 'add', '--detach', tree, ref], { cwd: root });
  try {
    const widget = join(tree, 'apps', 'widget');
    const hasGallery = await stat(join(widget, 'scripts', 'gallery.ts')).then(
      () => true,
      () => false,
    );
    if (!hasGallery) return false;
    const pnpm = join(root, '.tools', 'node_modules', '.bin', 'pnpm');
    const install = ['install', '--offline', '--frozen-lockfile', '--ignore-scripts', '--filter', '@svc/widget...'];
    await run(pnpm, install, { cwd: tree });
    const source = `import { bundleGallery } from '@svc/widget/build'; await bundleGallery(process.argv[1]);`;
    const node = ['--conditions=svc-source', '--import', 'tsx', '--input-type=module', '--eval', source, outDir];
    await run(process.execPath, node, { cwd: widget });
    return true;
  } finally {
    await run('git', ['worktree', 'remove', '--force', tree], { cwd: root });
    await rm(folder, { recursive: true, force: true });
  }
}

const { values } = parseArgs({
  // Package managers pass on the `--` before the options.
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

/** @returns the names of the pictures; none if there is no gallery */
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

/** @returns how many pictures differ or exist on one side only */
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
