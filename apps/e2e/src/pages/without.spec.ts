import type { Browser, BrowserContext } from '@playwright/test';
import { launchChromium } from '@svc/benchmarks/inputs/browser';
import { DashboardPage } from '../dashboard/dashboard-page.ts';
import { type DashboardService, signInTo } from '../dashboard/service.ts';
import { KioskPage } from '../kiosk/kiosk-page.ts';
import { startKioskService } from '../kiosk/kiosk-service.ts';
import { expect, test } from '../support/browser-test.ts';
import { rightPerson } from '../support/scenarios.ts';
import { agree, choosePhoto, screenOf, sendPhoto } from '../widget/guest.ts';
import { EmbeddedPage, type WidgetService } from '../widget/stage.ts';

/** `m`: the browser lacks it; `t`: it throws; `h`: it never answers. */
const ways = { m: 'missing', t: 'throwing', h: 'hanging' } as const;
type Way = keyof typeof ways;

/** Everything that a page uses and may lack, with its ways. */
const interfaces = `localStorage mt, sessionStorage mt, navigator.storage mt, navigator.storage.persist h,
  indexedDB mt, indexedDB.open th, indexedDB.deleteDatabase th, navigator.locks mt, navigator.locks.request th,
  navigator.serviceWorker mt, navigator.serviceWorker.register th, Worker mth, WebAssembly m, WebAssembly.instantiate th,
  crypto.subtle mt, crypto.subtle.generateKey th, crypto.randomUUID mt, createImageBitmap mth, VideoFrame mth, AudioContext mth,
  navigator.mediaDevices mt, navigator.mediaDevices.getUserMedia th, navigator.mediaDevices.enumerateDevices mth,
  HTMLVideoElement.prototype.requestVideoFrameCallback mt, ResizeObserver mth, IntersectionObserver mth, matchMedia mt,
  navigator.vibrate mt, EventSource mth, navigator.clipboard.writeText mth,
  PublicKeyCredential m, navigator.credentials m, navigator.credentials.get th, Intl.supportedValuesOf m`
  .split(/,\s+/)
  .map((row) => row.split(' ') as [path: string, letters: string]);

/** Runs in the page before its scripts. */
function spoil([path, way]: readonly [string, Way]): void {
  const names = path.split('.');
  const last = names.pop() ?? '';
  const owner = names.reduce<object | undefined>((at, name) => Reflect.get(at ?? {}, name), globalThis);
  if (owner === undefined || owner === null) return;
  const refuse = () => {
    throw new DOMException('taken away by the test', 'SecurityError');
  };
  // Whatever is called, made or awaited of it gives itself, and nothing ever happens. What is a request looks like one.
  const quiet: object = new Proxy(function quiet() {}, {
    get: (_target, name) => (typeof name === 'symbol' ? undefined : quiet),
    set: () => true,
    apply: () => (path.startsWith('indexedDB') ? new Proxy(Object.create(IDBRequest.prototype), handler) : quiet),
    construct: () => quiet,
  });
  const handler: ProxyHandler<object> = { get: () => () => undefined, set: () => true };
  const value = { m: undefined, t: refuse, h: quiet }[way];
  const isObject = /^\w*(storage|indexedDB|subtle|locks|serviceWorker|mediaDevices)$/i.test(last);
  Object.defineProperty(owner, last, way === 't' && isObject ? { get: refuse } : { value, configurable: true });
}

interface Walk {
  /** Interfaces that the pages on it may use. */
  readonly uses: RegExp;
  /** What is said without these, in these ways; in all others the walk comes to its end. */
  readonly says: readonly (readonly [sentence: RegExp, cells: string])[];
  /** @param isWhole false: no further than to what is said */
  walk(context: BrowserContext, services: Services, isWhole: boolean): Promise<unknown>;
}
type Services = { readonly widget: WidgetService; readonly dashboard: DashboardService; readonly kiosk: Kiosk };
type Kiosk = Awaited<ReturnType<typeof startKioskService>>;

async function enrol(context: BrowserContext, widget: WidgetService, by: 'camera' | 'file'): Promise<void> {
  const page = await context.newPage();
  await page.goto(widget.guestLink((await widget.token()).token));
  await agree(page);
  await (by === 'file' ? choosePhoto(page) : page.getByRole('button', { name: 'Take photo' }).click());
  await sendPhoto(page);
  await screenOf(page, 'done').waitFor();
}

const walks: Readonly<Record<string, Walk>> = {
  'the widget with its camera': {
    uses: /^(?!localStorage|indexedDB|EventSource|navigator.(locks|serv|clip|cred|vib)|Public|Audio|crypto.subtle)/,
    says: [
      [/No camera found/, 'navigator.mediaDevices m'],
      [/The camera is blocked/, 'navigator.mediaDevices t, navigator.mediaDevices.getUserMedia t'],
      [/Your browser may ask you to allow the camera/, 'navigator.mediaDevices.getUserMedia h'],
    ],
    walk: (context, { widget }) => enrol(context, widget, 'camera'),
  },
  'the widget with a file': {
    uses: /^(createImageBitmap|Worker|sessionStorage)/,
    says: [],
    walk: (context, { widget }) => enrol(context, widget, 'file'),
  },
  'the widget in an organiser’s page': {
    uses: /^(sessionStorage|localStorage|ResizeObserver|matchMedia)/,
    says: [],
    walk: (context, { widget }) => EmbeddedPage.open(context, widget).then((page) => page.isTold('ready')),
  },
  'the kiosk': {
    uses: /^(?!sessionStorage|EventSource|ResizeO|Intersection|Public|Intl|indexedDB.delete|navigator.(cl|cr))/,
    says: [
      [/lacks something/, 'indexedDB mt, navigator.locks mt, crypto.subtle mt, Worker m'],
      [/can’t store anything/, 'indexedDB.open t, navigator.locks.request t, crypto.subtle.generateKey t'],
      [/storage is taking longer/, 'indexedDB.open h, navigator.locks.request h, crypto.subtle.generateKey h'],
      [/could not be started/, 'Worker t, WebAssembly.instantiate t'],
      [/Face recognition is taking longer/, 'Worker h, WebAssembly.instantiate h'],
      [/does not run WebAssembly/, 'WebAssembly m'],
      [/can’t read codes with the camera/, 'navigator.mediaDevices m'],
      [/The camera is blocked/, 'navigator.mediaDevices t, navigator.mediaDevices.getUserMedia t'],
      [/not responding. If the browser asks/, 'navigator.mediaDevices.getUserMedia h'],
    ],
    async walk(context, { kiosk }, isWhole) {
      const door = await KioskPage.open(context, kiosk.url, { camera: 'of-the-browser' });
      await door.pair(await kiosk.newToken());
      await door.press('Start check-in');
      await door.screen('scan');
      if (isWhole) await door.scan(rightPerson.scannedId).then(() => door.result());
    },
  },
  'the dashboard': {
    uses: /^(local|navigator.(stor|lock|cl|cr)|indexedDB|crypto.rand|ResizeO|matchM|EventS|Public|Intl)/,
    says: [
      [/doesn’t support passkeys/, 'PublicKeyCredential m, navigator.credentials m'],
      [/The cause was|Try again/, 'navigator.credentials.get t'],
      [/The browser is waiting for your passkey/, 'navigator.credentials.get h'],
    ],
    async walk(context, { dashboard }, isWhole) {
      const tab = await DashboardPage.in(context, dashboard.origin);
      await tab.open('/sign-in');
      if (!isWhole) return tab.press('Sign in with a passkey');
      const organiser = await dashboard.account();
      const { listId } = await organiser.client.createList({ name: 'Members', ongoing: true });
      await signInTo(context, dashboard.origin, await organiser.invite('owner'));
      for (const path of ['/', '/lists', `/lists/${listId}`, `/lists/${listId}/import`]) await tab.open(path);
      await tab.press('Sign out');
      await tab.page.getByRole('heading', { name: 'Sign in' }).waitFor();
      await tab.page.goto(`${dashboard.api.url}/docs`);
      await tab.page.locator('h1').first().waitFor();
    },
  },
};

/** As long as a busy machine takes to come there, and the ten seconds. */
const PATIENCE_MS = 60_000;

let browser: Browser;
let kiosk: Kiosk;
test.describe.configure({ mode: 'parallel' });
test.beforeAll(async () => {
  browser = await launchChromium('--use-fake-device-for-media-stream', '--use-fake-ui-for-media-stream');
  kiosk = await startKioskService();
});
test.afterAll(async () => {
  await browser.close();
  await kiosk.close();
});

const names = (cells: string, path: string, way: Way): boolean =>
  cells.split(', ').some((cell) => cell.startsWith(`${path} `) && cell.slice(path.length).includes(way));

for (const [name, { uses, says, walk }] of Object.entries(walks))
  for (const [path, letters] of interfaces.filter(([used]) => uses.test(used)))
    for (const way of [...letters] as Way[])
      test(`${name}: ${path} is ${ways[way]}`, { tag: '@long' }, async ({ widget, dashboard }) => {
        const context = await browser.newContext({ locale: 'en-GB' });
        const errors: string[] = [];
        context.on('weberror', (error) => errors.push(error.error().message));
        await context.addInitScript(spoil, [path, way] as const);
        const [sentence] = says.find(([, cells]) => names(cells, path, way)) ?? [];
        const walked = walk(context, { widget, dashboard, kiosk }, sentence === undefined);
        if (sentence === undefined) await walked;
        else {
          walked.catch(() => undefined);
          const shown = () => Promise.all(context.pages().map((page) => page.locator('body').textContent()));
          await expect.poll(shown, { timeout: PATIENCE_MS }).toContainEqual(expect.stringMatching(sentence));
        }
        expect(errors).toEqual([]);
        await context.close();
      });
