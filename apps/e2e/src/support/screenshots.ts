import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { chromiumPath, launchChromium } from '@svc/benchmarks/inputs/browser';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import sharp from 'sharp';
import { galleryNames } from './gallery.ts';

/** A page's gallery, and how its pictures are taken. */
export interface PicturedGallery {
  /** Folder below `apps` and package name below `@svc`. */
  readonly app: 'widget' | 'kiosk';
  /** Folder of the pictures; git ignores it. */
  readonly defaultOut: string;
  /** @returns the page's path below `outDir` */
  readonly bundle: (outDir: string) => Promise<string>;
  readonly serve: (
    folder: string,
    path: string,
  ) => Promise<{ readonly url: string; readonly close: () => Promise<void> }>;
  /** Shows one of the gallery's names and waits until it is painted. */
  readonly show: (page: Page, name: string) => Promise<void>;
  /** Windows by name, with the queries shown in each, by name too. */
  readonly windows: readonly {
    readonly name: string;
    readonly context: BrowserContextOptions;
    readonly queries: Readonly<Record<string, string>>;
  }[];
  /** The whole page, or what a screen of that size shows. */
  readonly fullPage: boolean;
}

/**
 * A picture of everything in every window and query, as `NAME-WINDOW-QUERY.png`. Time, time zone and motion are fixed.
 * @param only prefix of the names; empty: all
 * @returns the names of the pictures, without `.png`
 */
async function takePictures(
  browser: Browser,
  { show, windows, fullPage }: PicturedGallery,
  url: string,
  folder: string,
  only: string,
): Promise<readonly string[]> {
  await mkdir(folder, { recursive: true });
  const taken: string[] = [];
  for (const window of windows) {
    const context = await browser.newContext({
      reducedMotion: 'reduce',
      locale: 'en-GB',
      timezoneId: 'Europe/Berlin',
      deviceScaleFactor: 1,
      ...window.context,
    });
    const page = await context.newPage();
    for (const [queryName, query] of Object.entries(window.queries)) {
      await page.goto(`${url}?${query}`);
      for (const shown of (await galleryNames(page)).filter((name) => name.startsWith(only))) {
        const name = `${shown}-${window.name}-${queryName}`;
        await show(page, shown);
        // The current content is painted in the next frame.
        await page.evaluate(
          () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))),
        );
        await page.screenshot({ path: join(folder, `${name}.png`), fullPage, caret: 'hide' });
        taken.push(name);
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

/** Path of every gallery's page below its package, and below the bundled folder. */
const GALLERY = 'src/testing/gallery.html';

const run = promisify(execFile);
const root = join(dirname(fileURLToPath(import.meta.url)), '../../../..');

/**
 * Bundles the gallery of a commit, with that commit's dependencies, in its own folder.
 * @returns false if the commit has no gallery
 * @throws Error if git does not know the commit, or a dependency is not in the local store
 */
async function bundleGalleryAt(app: PicturedGallery['app'], ref: string, outDir: string): Promise<boolean> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-before-'));
  const tree = join(folder, 'tree');
  await run('git', ['worktree', 'add', '--detach', tree, ref], { cwd: root });
  try {
    const folderOfApp = join(tree, 'apps', app);
    const hasGallery = await stat(join(folderOfApp, GALLERY)).then(
      () => true,
      () => false,
    );
    if (!hasGallery) return false;
    const pnpm = join(root, '.tools', 'node_modules', '.bin', 'pnpm');
    const install = ['install', '--offline', '--frozen-lockfile', '--ignore-scripts', '--filter', `@svc/${app}...`];
    await run(pnpm, install, { cwd: tree });
    // Sources read the core, which is built.
    await run(pnpm, ['--filter', '@svc/wasm', 'run', 'prepare-sources'], { cwd: tree });
    const source = `import { bundleGallery } from '@svc/${app}/build'; await bundleGallery(process.argv[1]);`;
    const node = ['--conditions=svc-source', '--import', 'tsx', '--input-type=module', '--eval', source, outDir];
    await run(process.execPath, node, { cwd: folderOfApp });
    return true;
  } finally {
    await run('git', ['worktree', 'remove', '--force', tree], { cwd: root });
    await rm(folder, { recursive: true, force: true });
  }
}

/** @returns the names of the pictures; none if there is no gallery */
async function picture(
  browser: Browser,
  gallery: PicturedGallery,
  bundle: (folder: string) => Promise<string | null>,
  o: { readonly to: string; readonly only: string },
): Promise<readonly string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-pictures-'));
  try {
    const path = await bundle(folder);
    if (path === null) return [];
    const served = await gallery.serve(folder, path);
    try {
      return await takePictures(browser, gallery, served.url, o.to, o.only);
    } finally {
      await served.close();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** @returns how many pictures differ or exist on one side only */
async function compare(out: string, names: readonly string[], before: readonly string[]): Promise<number> {
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

/**
 * The command of a gallery: pictures of everything, compared with those of a commit.
 * @param argv `[--against REF] [--out DIR] [--only NAME]`; `--only` takes the beginning of a name
 * @returns the exit code: 1 if a picture differs
 */
export async function screenshots(gallery: PicturedGallery, argv: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    // Package managers pass on the `--` before the options.
    args: argv.filter((argument) => argument !== '--'),
    options: {
      against: { type: 'string' },
      out: { type: 'string' },
      only: { type: 'string', default: '' },
    },
  });
  const { against, only } = values;
  if (chromiumPath === undefined) return 0;
  const out = values.out === undefined ? gallery.defaultOut : resolve(process.env.INIT_CWD ?? '.', values.out);
  await rm(out, { recursive: true, force: true });
  const browser = await launchChromium();
  try {
    const names = await picture(browser, gallery, gallery.bundle, { to: join(out, 'now'), only });
    console.log(`${names.length} pictures in ${join(out, 'now')}`);
    if (against === undefined) return 0;
    const bundleBefore = async (folder: string) =>
      (await bundleGalleryAt(gallery.app, against, folder)) ? GALLERY : null;
    const before = await picture(browser, gallery, bundleBefore, { to: join(out, 'before'), only });
    if (before.length === 0) {
      console.log(`${against} has no gallery of the ${gallery.app}: nothing to compare with`);
      return 0;
    }
    const different = await compare(out, names, before);
    console.log(`${different} of ${names.length} differ from ${against}`);
    return different > 0 ? 1 : 0;
  } finally {
    await browser.close();
  }
}
