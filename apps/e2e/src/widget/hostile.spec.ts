import type { Browser, BrowserContext, Frame, FrameLocator, Page } from '@playwright/test';
import type { MadeToken } from '@svc/api/testing';
import { test as base, expect } from '../support/browser-test.ts';
import { agree, choosePhoto, decline, enrolByFile, screenOf, sendPhoto } from './guest.ts';
import {
  EmbeddedPage,
  markup,
  newContext,
  type OrganiserSite,
  startOrganiserSite,
  type WidgetService,
} from './stage.ts';

/** The loader's hello, which any page can send. */
const hello = { svc: 'hello', version: 1 };

/** Sends all messages of the widget's page to every window around, and through every port it receives. */
const LOOKALIKE = `<p>Enrolled!</p><script>
  const all = ['hello', 'ready', 'enrolled', 'declined', 'error'].map((type) => ({ type, text: 'x' }));
  for (const message of all) parent.postMessage(message, '*');
  addEventListener('message', ({ ports, data }) => {
    got = data;
    for (const message of all) ports[0]?.postMessage(message);
  });
</script>`;

/** A hostile organiser with a page around the widget, in a browser of its own, and a stranger's site. */
class HostilePage {
  readonly service: WidgetService;
  readonly stranger: OrganiserSite;
  readonly context: BrowserContext;
  #embedded: EmbeddedPage | null = null;
  #made: MadeToken | null = null;

  private constructor(service: WidgetService, stranger: OrganiserSite, context: BrowserContext) {
    this.service = service;
    this.stranger = stranger;
    this.context = context;
  }

  static async in(browser: Browser, service: WidgetService): Promise<HostilePage> {
    const stranger = await startOrganiserSite();
    stranger.put('/ad', { body: '<p>Buy!</p>' });
    return new HostilePage(service, stranger, await newContext(browser));
  }

  async close(): Promise<void> {
    await this.context.close();
    await this.stranger.close();
  }

  /** The token of the last opened page. */
  get made(): MadeToken {
    return there(this.#made);
  }

  /**
   * Opens the organiser's page with a new token, and waits for the consent.
   * @param more markup before the widget @param o.attributes of the container
   */
  async open(
    more = '',
    o: { readonly headers?: Record<string, string>; readonly isReady?: boolean; readonly attributes?: string } = {},
  ): Promise<void> {
    this.#made = await this.service.token();
    const body = more + markup(this.service.widgetUrl, this.#made.token, o.attributes);
    this.#embedded = await EmbeddedPage.open(this.context, this.service, {
      body,
      ...(o.headers && { headers: o.headers }),
    });
    if (o.isReady !== false) await this.isTold('ready');
  }

  get page(): Page {
    return there(this.#embedded).page;
  }

  get frame(): Frame {
    return there(this.#embedded).frame();
  }

  /** The current content of the page's first frame. */
  get inFrame(): FrameLocator {
    return there(this.#embedded).inFrame;
  }

  frameAt(url: string): Frame {
    return there(this.page.frames().find((frame) => frame.url() === url) ?? null);
  }

  isTold(...types: readonly string[]): Promise<void> {
    return there(this.#embedded).isTold(...types);
  }

  async types(): Promise<readonly string[]> {
    return (await there(this.#embedded).told()).map(({ type }) => type);
  }

  tokenState(): ReturnType<WidgetService['tokenState']> {
    return this.service.tokenState(this.made.tokenId);
  }

  /** The page got no event after the first, and nothing was decided. */
  async isToldNoMore(): Promise<void> {
    expect(await this.types()).toEqual(['svc:ready']);
    expect(await this.tokenState()).toMatchObject({ state: 'valid', attemptsLeft: 5 });
    expect(await this.service.isEnrolled(this.made.ticketId)).toBe(false);
  }

  /** Nothing was decided in the guest's name. */
  async isUntouched(): Promise<void> {
    // Whether visible or not: the page around may make the frame tiny.
    await screenOf(this.frame, 'consent').waitFor({ state: 'attached' });
    expect(await this.frame.locator('input:checked').count()).toBe(0);
    await this.isToldNoMore();
  }

  /** Makes the widget's page count incoming messages, so that a test knows when they were handled. */
  async countMessages(): Promise<() => Promise<number>> {
    await this.frame.evaluate(() => {
      const scope = globalThis as unknown as { heard: number };
      scope.heard = 0;
      addEventListener('message', () => {
        scope.heard += 1;
      });
    });
    return () => this.frame.evaluate(() => (globalThis as unknown as { heard: number }).heard);
  }
}

function there<T>(thing: T | null): T {
  if (thing === null) throw new Error('nothing was opened');
  return thing;
}

const test = base.extend<{ readonly hostile: HostilePage }>({
  async hostile({ browser, widget }, use) {
    const hostile = await HostilePage.in(browser, widget);
    await use(hostile);
    await hostile.close();
  },
});

test.describe('a hostile page replaces the frame', { tag: '@long' }, () => {
  /** Changes the frame, and waits until it has loaded. */
  async function lead(page: Page, change: (frame: HTMLIFrameElement, to: string) => void, to = ''): Promise<void> {
    const loaded = page.evaluate(
      () =>
        new Promise<void>((resolve) => {
          document.querySelector('iframe')?.addEventListener('load', () => setTimeout(resolve));
        }),
    );
    await page.evaluate(`(${change.toString()})(document.querySelector('iframe'), ${JSON.stringify(to)})`);
    await loaded;
  }

  const changes: readonly (readonly [string, (frame: HTMLIFrameElement, to: string) => void])[] = [
    [
      'by its own page that looks the same',
      (frame, to) => {
        frame.src = to;
      },
    ],
    [
      'by nothing',
      (frame) => {
        frame.src = 'about:blank';
      },
    ],
    [
      'by a second one in its place',
      (frame, to) => {
        frame.parentElement?.replaceChildren(Object.assign(document.createElement('iframe'), { src: to }));
      },
    ],
    ['by moving it', (frame) => document.body.append(frame)],
    ['by removing it', (frame) => frame.remove()],
  ];
  for (const [how, change] of changes) {
    test(how, async ({ hostile }) => {
      const lookalike = hostile.service.organiser.put('/lookalike', { body: LOOKALIKE });
      await hostile.open();
      const isLeft = how.includes('moving') || how.includes('removing');
      await hostile.page.evaluate(
        `(${change.toString()})(document.querySelector('iframe'), ${JSON.stringify(lookalike)})`,
      );
      if (isLeft) await expect.poll(() => hostile.page.locator('iframe').count()).toBe(0);
      else await expect.poll(() => hostile.page.frames().at(-1)?.url()).toMatch(/lookalike|about:blank/);
      if (how.includes('looks')) {
        const fake = hostile.frameAt(lookalike);
        await fake.waitForLoadState('load');
        // It did not even get the hello.
        expect(await fake.evaluate('typeof got')).toBe('undefined');
      }
      await hostile.page.evaluate(() => new Promise((resolve) => setTimeout(resolve)));
      await hostile.isToldNoMore();
    });
  }

  test('by a text of its own', async ({ hostile }) => {
    await hostile.open();
    await lead(
      hostile.page,
      (frame, to) => {
        frame.srcdoc = to;
      },
      LOOKALIKE,
    );
    await hostile.isToldNoMore();
  });

  test('by another page of the service, which may not be framed', async ({ hostile }) => {
    const { href } = new URL('/docs', hostile.service.widgetUrl);
    await hostile.context.clock.install();
    await hostile.open();
    await lead(
      hostile.page,
      (frame, to) => {
        frame.src = to;
      },
      href,
    );
    await hostile.context.clock.fastForward(11_000);
    await hostile.isTold('ready', 'error');
    expect(hostile.page.frames().map((frame) => frame.url())).not.toContain(href);
  });

  test('by a copy: both are the service’s, one is heard', async ({ hostile }) => {
    await hostile.open();
    await hostile.page.evaluate(() => {
      const frame = document.querySelector('iframe');
      if (frame !== null) document.body.append(frame.cloneNode());
    });
    const copy = hostile.page.frameLocator('iframe').last();
    await decline(copy);
    await screenOf(copy, 'declined').waitFor();
    expect(await hostile.types()).toEqual(['svc:ready']);
    expect(await hostile.tokenState()).toMatchObject({ state: 'declined' });
  });

  test('by removing it while the photo is sent: the guest had pressed the button', async ({ hostile }) => {
    await hostile.open();
    const { inference } = hostile.service;
    const before = inference.photos.length;
    const release = inference.hold();
    await agree(hostile.inFrame);
    await choosePhoto(hostile.inFrame);
    await sendPhoto(hostile.inFrame);
    await expect.poll(() => inference.photos.length).toBe(before + 1);
    await hostile.page.evaluate(() => document.querySelector('iframe')?.remove());
    release();
    await expect.poll(async () => (await hostile.tokenState()).state).toBe('used');
    expect(await hostile.types()).toEqual(['svc:ready']);
  });

  test('by another token in its address: the widget starts over', async ({ hostile }) => {
    await hostile.open();
    await hostile.frame.locator('[name="explicitBiometricConsent"]').check();
    const other = await hostile.service.token();
    await hostile.page.evaluate((token) => {
      const frame = document.querySelector('iframe');
      if (frame !== null) frame.src = frame.src.replace(/#.*/, `#${token}`);
    }, other.token);
    await hostile.isTold('ready', 'ready');
    expect(await hostile.frame.locator('input:checked').count()).toBe(0);
  });

  test('by one in a sandbox: it can do nothing', async ({ hostile }) => {
    await hostile.context.clock.install();
    await hostile.open();
    await lead(hostile.page, (frame) => {
      frame.setAttribute('sandbox', 'allow-scripts allow-forms');
      frame.replaceWith(frame);
    });
    await hostile.context.clock.fastForward(11_000);
    await hostile.isTold('ready', 'error');
    expect(await hostile.tokenState()).toMatchObject({ state: 'valid' });
  });

  test('by one with a policy weaker than the widget’s own: the browser refuses it', async ({ hostile }) => {
    await hostile.open();
    await hostile.frame.locator('[name="writtenRelease"]').check();
    await hostile.page.evaluate(() => {
      const frame = document.querySelector('iframe');
      frame?.setAttribute('csp', "script-src 'unsafe-inline' *; connect-src *");
      frame?.replaceWith(frame);
    });
    await hostile.isTold('ready', 'error');
    expect(await hostile.tokenState()).toMatchObject({ state: 'valid' });
  });
});

test.describe('a hostile page is itself framed by a stranger’s', { tag: '@long' }, () => {
  /** The stranger's page, which keeps sending hellos inwards, around the organiser's, around the widget. */
  async function openWithin({ service, stranger, context }: HostilePage) {
    const { token } = await service.token();
    const ticket = service.organiser.put('/ticket', { body: markup(service.widgetUrl, token) });
    const around = `<iframe src="${ticket}" width="800"></iframe><script>
      overheard = [];
      setInterval(() => {
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = ({ data }) => overheard.push(data);
        frames[0]?.[0]?.postMessage(${JSON.stringify(hello)}, '*', [port2]);
      }, 1);
    </script>`;
    const top = await context.newPage();
    await top.goto(stranger.put('/around', { body: around }));
    await screenOf(top.frameLocator('iframe').frameLocator('iframe'), 'consent').waitFor();
    const at = (url: string) => there(top.frames().find((frame) => frame.url().startsWith(url)) ?? null);
    const organiser = at(ticket);
    await organiser.evaluate(() => {
      const scope = globalThis as unknown as { told: string[] };
      scope.told = [];
      for (const name of ['ready', 'enrolled', 'declined', 'error'])
        document.addEventListener(`svc:${name}`, ({ type }) => scope.told.push(type));
    });
    return { top, organiser, widget: at(service.widgetUrl) };
  }

  test('that says hello past the organiser: the widget listens to its parent only', async ({ hostile }) => {
    const { top, organiser, widget } = await openWithin(hostile);
    await decline(widget);
    await screenOf(widget, 'declined').waitFor();
    await expect.poll(() => organiser.evaluate('told')).toContain('svc:declined');
    expect(await top.evaluate('overheard')).toEqual([]);
  });

  test('that navigates the widget elsewhere: no event that the guest did not cause', async ({ hostile }) => {
    const lookalike = hostile.stranger.put('/lookalike', { body: LOOKALIKE });
    const { top, organiser } = await openWithin(hostile);
    await top.evaluate((to) => {
      if (window[0]?.[0] !== undefined) window[0][0].location.href = to;
    }, lookalike);
    await expect.poll(() => top.frames().some((frame) => frame.url() === lookalike)).toBe(true);
    await top
      .frames()
      .find((frame) => frame.url() === lookalike)
      ?.waitForLoadState('load');
    await organiser.evaluate(() => new Promise((resolve) => setTimeout(resolve)));
    // It may get an event that nothing answers any more.
    expect(await organiser.evaluate('told.filter((type) => /enrolled|declined/.test(type))')).toEqual([]);
  });
});

test.describe('a hostile page restricts or misleads the loader', { tag: '@long' }, () => {
  const policies: readonly (readonly [string, (origin: string) => Record<string, string>])[] = [
    ['against the camera', () => ({ 'permissions-policy': 'camera=()' })],
    [
      'against other connections',
      (origin) => ({
        'content-security-policy': `script-src ${origin}; frame-src ${origin}; connect-src 'none'; img-src 'none'; form-action 'none'`,
      }),
    ],
  ];
  for (const [what, headers] of policies) {
    test(`with a policy ${what}: a photo can be chosen`, async ({ hostile }) => {
      await hostile.open('', { headers: headers(new URL(hostile.service.widgetUrl).origin) });
      await enrolByFile(hostile.inFrame);
      await hostile.isTold('ready', 'enrolled');
    });
  }

  test('with a policy against our script: the page stays as the organiser wrote it', async ({ hostile }) => {
    await hostile.open('', { headers: { 'content-security-policy': "script-src 'self'" }, isReady: false });
    await hostile.page.waitForLoadState('load');
    expect(await hostile.page.locator('iframe').count()).toBe(0);
    expect(await hostile.types()).toEqual([]);
  });

  test('by a base address, and an element named like the script', async ({ hostile }) => {
    const { url } = hostile.stranger;
    await hostile.open(
      `<base href="${url}/"><img name="currentScript" src="${url}/widget/widget.js"><a id="Svc" name="Svc"></a>`,
    );
    expect(hostile.page.frames()[1]?.url()).toContain(hostile.service.widgetUrl);
    expect(await hostile.page.evaluate(() => typeof Svc.mount)).toBe('function');
    await hostile.isUntouched();
  });

  test('by settings with other content', async ({ hostile }) => {
    const { organiser } = hostile.service;
    const evil = `red;background:url(${organiser.url}/leak)`;
    const attributes = [
      `data-svc-accent="${evil}"`,
      `data-svc-font="x;}body{background:url(${organiser.url}/leak)}"`,
      `data-svc-radius="9px;${evil}"`,
      'data-svc-theme="dark&quot;&gt;&lt;img src=x&gt;"',
      'data-svc-language="../../../../leak"',
    ].join(' ');
    await hostile.open('', { attributes });
    expect(await hostile.frame.locator('img').count()).toBe(0);
    const style = await hostile.frame.evaluate(() => document.documentElement.getAttribute('style') ?? '');
    expect(style).not.toContain('url');
    expect(organiser.requests.filter(({ target }) => target.includes('leak'))).toEqual([]);
  });

  test('by another site’s loader that came first: the guest’s choice stays with the service', async ({ hostile }) => {
    hostile.stranger.put('/widget.js', { body: 'window[Symbol.for("svc.widget")] = true', isScript: true });
    await hostile.open(`<script src="${hostile.stranger.url}/widget.js"></script>`, { isReady: false });
    await hostile.page.waitForLoadState('load');
    expect(await hostile.page.locator('iframe').count()).toBe(0);
    expect(await hostile.tokenState()).toMatchObject({ state: 'valid' });
  });
});

test.describe('a hostile page looks', () => {
  const looks = [
    'frame.contentDocument',
    'frame.contentWindow.document',
    'frame.contentWindow.location.href',
    'frame.contentWindow.localStorage',
    'frame.contentWindow.history.length',
    'frame.contentWindow.fetch',
    'frame.contentWindow.eval("1")',
    'document.createElement("canvas").getContext("2d").drawImage(frame, 0, 0)',
    'createImageBitmap(frame)',
    'frame.captureStream()',
    'document.importNode(frame.contentWindow.document.body, true)',
    'frame.contentWindow.getSelection()',
    'frame.contentWindow.navigator.mediaDevices',
    'frame.contentWindow.length || null',
    '(frame.contentWindow.opener = window)',
    '(frame.contentWindow.onmessage = () => 1)',
  ];
  test('into the frame, its requests and its photo', async ({ hostile }) => {
    await hostile.open();
    const before = hostile.service.inference.photos.length;
    await agree(hostile.inFrame);
    await choosePhoto(hostile.inFrame);
    for (const expression of looks) {
      const seen = await hostile.page.evaluate(async (text) => {
        const look = Function('frame', `return (${text})`) as (frame: Element | null) => unknown;
        try {
          return (await look(document.querySelector('iframe'))) ?? null;
        } catch (error) {
          return (error as Error).name;
        }
      }, expression);
      expect(['SecurityError', 'TypeError', null], expression).toContain(seen);
    }
    const names = await hostile.page.evaluate(() => performance.getEntriesByType('resource').map(({ name }) => name));
    expect(names.filter((name) => /\/v1\/|assets/.test(name))).toEqual([]);
    await screenOf(hostile.frame, 'check').waitFor();
    expect(hostile.service.inference.photos.length).toBe(before);
  });

  test('into the channel while a guest enrols: events’ data only', async ({ hostile }) => {
    await hostile.context.addInitScript(() => {
      if (window.parent !== window) return;
      const scope = globalThis as unknown as { tapped: unknown[] };
      scope.tapped = [];
      const Genuine = MessageChannel;
      globalThis.MessageChannel = class extends Genuine {
        constructor() {
          super();
          this.port1.addEventListener('message', ({ data }) => scope.tapped.push(data));
        }
      };
    });
    await hostile.open();
    await enrolByFile(hostile.inFrame);
    await hostile.isTold('ready', 'enrolled');
    const tapped = await hostile.page.evaluate(() => (globalThis as unknown as { tapped: object[] }).tapped);
    const types = new Set(tapped.map((message) => (message as { type: string }).type));
    expect([...types].sort()).toEqual(['enrolled', 'height', 'hello', 'ready', 'show-top', 'title']);
    for (const message of tapped) expect(JSON.stringify(message).length).toBeLessThan(120);
    expect(JSON.stringify(tapped)).not.toContain(hostile.made.ticketId);
  });

  test('by overriding what the frame’s page uses', async ({ hostile }) => {
    await hostile.context.addInitScript(() => {
      if (window.parent !== window) return;
      const scope = globalThis as unknown as { used: string[] };
      scope.used = [];
      const note = (owner: object, name: string) => {
        const value = () => {
          scope.used.push(name);
          return new Promise(() => undefined);
        };
        Object.defineProperty(owner, name, { configurable: true, value });
      };
      for (const name of ['fetch', 'createImageBitmap', 'FileReader', 'Worker', 'Blob', 'OffscreenCanvas'])
        note(globalThis, name);
      note(navigator.mediaDevices, 'getUserMedia');
      note(navigator, 'sendBeacon');
      note(URL, 'createObjectURL');
      note(HTMLCanvasElement.prototype, 'toBlob');
      note(HTMLCanvasElement.prototype, 'getContext');
      note(XMLHttpRequest.prototype, 'send');
      for (const name of ['jpeg', 'photo', 'imageBase64', 'token'])
        Object.defineProperty(Object.prototype, name, { configurable: true, set: () => scope.used.push(name) });
    });
    await hostile.open();
    await enrolByFile(hostile.inFrame);
    await hostile.isTold('ready', 'enrolled');
    expect(await hostile.page.evaluate('used')).toEqual([]);
  });

  test('by a service worker: it answers for its own pages only', async ({ hostile }) => {
    const { organiser } = hostile.service;
    const body = `self.addEventListener('install', () => self.skipWaiting());
      self.addEventListener('activate', (event) => event.waitUntil(clients.claim()));
      const seen = [];
      self.addEventListener('fetch', ({ request }) => seen.push(request.url));
      self.addEventListener('message', ({ ports }) => ports[0].postMessage(seen));`;
    organiser.put('/sw.js', { body, isScript: true });
    const page = await hostile.context.newPage();
    await page.goto(organiser.put('/first', { body: 'first' }));
    await page.evaluate(async () => {
      await navigator.serviceWorker.register('/sw.js');
      await navigator.serviceWorker.ready;
    });
    await page.close();
    await hostile.open();
    expect(await hostile.page.evaluate(() => navigator.serviceWorker.controller !== null)).toBe(true);
    await enrolByFile(hostile.inFrame);
    const seen = await hostile.page.evaluate(
      () =>
        new Promise<string[]>((resolve) => {
          const { port1, port2 } = new MessageChannel();
          port1.onmessage = ({ data }) => resolve(data);
          navigator.serviceWorker.controller?.postMessage(null, [port2]);
        }),
    );
    // The page and the loader that it includes, but not the frame's address.
    expect(seen.filter((url) => !/\/(ticket|favicon\.ico|widget\.js)$/.test(url))).toEqual([]);
    expect(seen.some((url) => url.endsWith('/widget.js'))).toBe(true);
  });
});

test.describe('a hostile page makes the guest press what cannot be seen', () => {
  const style = (hostile: HostilePage, css: string) =>
    hostile.page.evaluate((text) => {
      for (const frame of document.querySelectorAll('iframe')) frame.style.cssText += text;
    }, css);
  const tricks: Readonly<Record<string, (hostile: HostilePage) => Promise<unknown>>> = {
    'one press on the consent, through an invisible frame': async (hostile) => {
      await style(hostile, 'opacity: 0; position: absolute; inset: 0');
      await hostile.frame.getByRole('button', { name: 'I agree, continue' }).click();
    },
    'keys, with the focus moved into the frame by the page': async ({ page }) => {
      await page.evaluate(() => {
        const frame = document.querySelector('iframe');
        frame?.focus();
        frame?.contentWindow?.focus();
      });
      for (const key of ['Enter', 'Space', 'Enter']) await page.keyboard.press(key);
    },
    'an overlay that lets presses through': async ({ page }) => {
      await page.evaluate(() => {
        const cover = document.createElement('div');
        cover.style.cssText = 'position: absolute; inset: 0; background: #fff; pointer-events: none';
        document.body.append(cover);
      });
      await page.mouse.click(200, 200, { clickCount: 2 });
    },
    'a frame of one pixel': async (hostile) => {
      await style(hostile, 'width: 1px !important; height: 1px !important');
      await hostile.page.mouse.click(8, 8);
    },
  };
  for (const [name, trick] of Object.entries(tricks)) {
    test(name, async ({ hostile }) => {
      await hostile.open();
      await trick(hostile);
      await hostile.isUntouched();
    });
  }

  test('many presses everywhere: no photo, no enrolment', async ({ hostile }) => {
    await hostile.open();
    await style(hostile, 'opacity: 0');
    await agree(hostile.frame);
    for (const name of ['Start the camera', 'Back to consent', 'I agree, continue']) {
      const button = hostile.frame.getByRole('button', { name });
      if ((await button.count()) > 0) await button.click();
    }
    await hostile.isToldNoMore();
  });
});

type Speaker = Page | Frame;
/** Path from the sender to the page that contains the widget. */
type Around = 'here' | 'parent' | 'opener';

/** Sends the widget's frame a message with one end of a channel. @returns the messages from the other end */
async function sendFrom(speaker: Speaker, data: unknown, around: Around): Promise<() => Promise<unknown[]>> {
  await speaker.evaluate(
    ([message, where]) => {
      const scope = globalThis as unknown as { overheard: unknown[] };
      scope.overheard ??= [];
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = ({ data: got }) => scope.overheard.push(got);
      const page = (where === 'here' ? window : window[where]) as Window;
      // The widget's frame is the last one of the page.
      const target = [...Array(page.length).keys()].map((i) => page[i]).findLast((found) => found !== window);
      target?.postMessage(message, '*', [port2]);
    },
    [data, around] as const,
  );
  return () => speaker.evaluate(() => (globalThis as unknown as { overheard: unknown[] }).overheard);
}

/** Sends the parent page the messages of the widget's page. */
function tellAll(speaker: Speaker, around: Around): Promise<void> {
  return speaker.evaluate((where) => {
    const page = (where === 'here' ? window : window[where]) as Window;
    for (const type of ['hello', 'ready', 'enrolled', 'declined', 'error', 'height'])
      page.postMessage({ type, text: 'x', px: 9_000 }, '*');
  }, around);
}

async function isToldNothing({ page, types }: Pick<HostilePage, 'page'> & { types: readonly string[] }): Promise<void> {
  expect(types).toEqual(['svc:ready']);
  expect((await page.locator('#widget iframe').boundingBox())?.height).toBeLessThan(9_000);
}

/** Messages between two windows stay in order, so this one comes after all of them. */
const lastMessage = (page: Page) =>
  page.evaluate(
    () =>
      new Promise<void>((resolve) => {
        addEventListener('message', ({ data }) => data === 'last' && resolve());
        postMessage('last', '*');
      }),
  );

test.describe('a hostile page sends messages', () => {
  const faked: readonly unknown[] = [
    { type: 'consent-pressed' },
    { type: 'box-ticked', box: 'explicitBiometricConsent', ticked: true },
    { type: 'photo-taken', photo: { jpeg: 'AAAA', width: 1, height: 1 } },
    { type: 'send-pressed' },
    { type: 'enrolled' },
    { svc: 'hello', version: 2 },
    hello,
    { ...hello, token: 'svce_other', type: 'send-pressed', __proto__: { type: 'x' } },
    '{"type":"send-pressed"}',
    null,
    'x'.repeat(1_000_000),
    { type: 'eval', text: 'document.querySelectorAll("input").forEach((i) => i.click())' },
  ];
  test('in the guest’s name, or to have a channel of its own', async ({ hostile }) => {
    await hostile.open(`<iframe src="${hostile.stranger.url}/ad"></iframe><iframe id="own" srcdoc="own"></iframe>`);
    const heard = await hostile.countMessages();
    for (const [i, data] of faked.entries()) {
      const overheard = await sendFrom(hostile.page, data, 'here');
      await expect.poll(heard).toBe(i + 1);
      await hostile.isUntouched();
      expect(await overheard(), `message ${i}`).toEqual([]);
    }
    await hostile.page.evaluate((data) => {
      const target = window[window.length - 1] as Window;
      for (let i = 0; i < 1_000; i += 1) target.postMessage(data, '*', [new MessageChannel().port2]);
    }, hello);
    await expect.poll(heard).toBe(faked.length + 1_000);
    await hostile.isUntouched();
  });

  const speakers: readonly (readonly [string, Around, (hostile: HostilePage) => Promise<Speaker>])[] = [
    [
      'from a frame of another site',
      'parent',
      async (hostile) => {
        const ad = `${hostile.stranger.url}/ad`;
        await hostile.open(`<iframe src="${ad}"></iframe>`);
        return hostile.frameAt(ad);
      },
    ],
    [
      'from a window that it opened',
      'opener',
      async (hostile) => {
        await hostile.open();
        const opening = hostile.context.waitForEvent('page');
        await hostile.page.evaluate((url) => void window.open(url), `${hostile.stranger.url}/ad`);
        const popup = await opening;
        await popup.waitForLoadState();
        return popup;
      },
    ],
    [
      'in the widget’s name',
      'here',
      async (hostile) => {
        await hostile.open();
        return hostile.page;
      },
    ],
  ];
  for (const [who, around, speakerIn] of speakers) {
    test(who, async ({ hostile }) => {
      const speaker = await speakerIn(hostile);
      const heard = await hostile.countMessages();
      const overheard = await sendFrom(speaker, hello, around);
      await expect.poll(heard).toBe(1);
      await tellAll(speaker, around);
      await lastMessage(hostile.page);
      await isToldNothing({ page: hostile.page, types: await hostile.types() });
      await hostile.isUntouched();
      expect(await overheard()).toEqual([]);
    });
  }

  test('from a frame that says hello first, over and over', async ({ hostile }) => {
    await hostile.open(
      `<iframe srcdoc="<script>
        overheard = [];
        setInterval(() => {
          for (let i = 0; i < parent.length; i += 1) {
            const { port1, port2 } = new MessageChannel();
            port1.onmessage = ({ data }) => overheard.push(data);
            if (parent[i] !== window) parent[i].postMessage({ svc: 'hello', version: 1 }, '*', [port2]);
          }
        }, 1);
      </script>"></iframe>`,
    );
    await hostile.isUntouched();
    expect(await hostile.frameAt('about:srcdoc').evaluate('overheard')).toEqual([]);
  });

  test('from another widget’s page, which has a channel of its own', async ({ hostile }) => {
    const { token } = await hostile.service.token();
    await hostile.open(`<div id="other" data-svc-token="${token}"></div>`, { isReady: false });
    await hostile.isTold('ready', 'ready');
    await tellAll(hostile.frame, 'parent');
    await lastMessage(hostile.page);
    expect(await hostile.types()).toEqual(['svc:ready', 'svc:ready']);
  });

  test('and a frame of another site tries to navigate the widget', async ({ hostile }) => {
    const ad = `${hostile.stranger.url}/ad`;
    await hostile.open(`<iframe src="${ad}"></iframe>`);
    const refusal = await hostile.frameAt(ad).evaluate(() => {
      const { parent } = window;
      const target = parent[0] === window ? parent[1] : parent[0];
      try {
        (target as Window).location.href = 'https://example.org/';
      } catch (error) {
        return (error as Error).name;
      }
      return null;
    });
    expect(refusal).toBe('SecurityError');
    await hostile.isUntouched();
  });
});
