import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { chromiumPath, launchChromium } from '../support/browser.ts';
import { EmbeddedPage, newContext } from './embedding.ts';
import { agree, choosePhoto, decline, enrolByFile, noisePhoto, screenOf, sendPhoto } from './guest.ts';
import { type MadeToken, PATIENCE_MS, startWidgetHarness, type WidgetHarness } from './harness.ts';
import { type OrganiserSite, startOrganiserSite } from './organiser-site.ts';

let harness: WidgetHarness;
/** Somebody else's site, in a frame of the organiser's page or in a window that it opened. */
let stranger: OrganiserSite;
let browser: Browser;
let context: BrowserContext;
let made: MadeToken;
let embedded: EmbeddedPage;

const loader = () => `<script src="${harness.widgetUrl}widget.js" async></script>`;
const container = (token: string) => `<div id="widget" data-svc-token="${token}"></div>`;

/** Opens the organiser's page with what it holds besides the widget, and waits for the consent. */
async function open(more = '', o: { readonly headers?: Record<string, string>; readonly isReady?: boolean } = {}) {
  made = await harness.token();
  embedded = await EmbeddedPage.open(context, harness, {
    body: `${more}${container(made.token)}${loader()}`,
    ...(o.headers && { headers: o.headers }),
  });
  if (o.isReady !== false) await embedded.isTold('ready');
}

/** The guest has decided nothing, and nobody has done it for him. */
async function isUntouched(): Promise<void> {
  const frame = embedded.frame();
  await screenOf(frame, 'consent').waitFor();
  expect(await frame.locator('input:checked').count()).toBe(0);
  expect((await embedded.told()).map(({ type }) => type)).toEqual(['svc:ready']);
  expect(await harness.tokenState(made.tokenId)).toMatchObject({ state: 'valid', attemptsLeft: 5 });
  expect(await harness.enrolled()).not.toContain(made.ticketId);
}

/** Has the widget's page count what it is sent, so that a test knows when it has looked at it. */
async function countMessages(): Promise<() => Promise<number>> {
  await embedded.frame().evaluate(() => {
    const scope = globalThis as unknown as { heard: number };
    scope.heard = 0;
    addEventListener('message', () => {
      scope.heard += 1;
    });
  });
  return () => embedded.frame().evaluate(() => (globalThis as unknown as { heard: number }).heard);
}

const hello = { svc: 'hello', version: 1 };

/** Sends the widget's frame a message from a window that knows it, with an end of a channel. @returns what came out of the other end */
async function sendFrom(page: Page | ReturnType<Page['frames']>[number], data: unknown, path: 'here' | 'parent' | 'opener') {
  await page.evaluate(
    ([message, where]) => {
      const scope = globalThis as unknown as { overheard: unknown[] };
      scope.overheard ??= [];
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = ({ data: got }) => scope.overheard.push(got);
      const around = (where === 'here' ? window : where === 'parent' ? window.parent : window.opener) as Window;
      const target = [...Array(around.length).keys()].map((i) => around[i]).find((found) => found !== window);
      (target as Window).postMessage(message, '*', [port2]);
    },
    [data, path] as const,
  );
  return () => page.evaluate(() => (globalThis as unknown as { overheard: unknown[] }).overheard);
}

describe.skipIf(chromiumPath === undefined)('a hostile page around the widget', { timeout: 4 * PATIENCE_MS }, () => {
  beforeAll(async () => {
    harness = await startWidgetHarness();
    stranger = await startOrganiserSite();
    stranger.put('/ad', { body: '<p>Buy!</p>' });
    browser = await launchChromium();
  }, 4 * PATIENCE_MS);

  afterAll(async () => {
    await browser?.close();
    await stranger?.close();
    await harness?.close();
  });

  describe('sends the frame what no guest did', () => {
    beforeAll(async () => {
      context = await newContext(browser);
      await open(`<iframe src="${stranger.url}/ad"></iframe><iframe id="own" srcdoc="own"></iframe>`);
    }, 4 * PATIENCE_MS);
    afterAll(() => context?.close());

    it.each([
      ['the flow’s own words', { type: 'consent-pressed' }],
      ['a box ticked', { type: 'box-ticked', box: 'explicitBiometricConsent', ticked: true }],
      ['a photo to send', { type: 'photo-taken', photo: { jpeg: 'AAAA', width: 1, height: 1 } }],
      ['a press on send', { type: 'send-pressed' }],
      ['the messages of the page itself', { type: 'enrolled' }],
      ['a hello of tomorrow', { svc: 'hello', version: 2 }],
      ['another hello, to have a channel of its own', hello],
      ['a hello with more in it', { ...hello, token: 'svce_other', type: 'send-pressed', __proto__: { type: 'x' } }],
      ['a text', '{"type":"send-pressed"}'],
      ['nothing', null],
      ['a million characters', 'x'.repeat(1_000_000)],
      ['code', { type: 'eval', text: 'document.querySelectorAll("input").forEach((i) => i.click())' }],
    ])('%s', async (_what, data) => {
      const heard = await countMessages();
      const overheard = await sendFrom(embedded.page, data, 'here');
      await expect.poll(heard).toBe(1);
      await isUntouched();
      expect(await overheard()).toEqual([]);
    });

    it('a thousand hellos at once', async () => {
      const heard = await countMessages();
      await embedded.page.evaluate((data) => {
        const target = window[window.length - 1] as Window;
        for (let i = 0; i < 1_000; i += 1) target.postMessage(data, '*', [new MessageChannel().port2]);
      }, hello);
      await expect.poll(heard).toBe(1_000);
      await isUntouched();
    });
  });

  describe('has others speak', () => {
    beforeEach(async () => {
      context = await newContext(browser);
    });
    afterEach(() => context.close());

    const frameOf = (url: string) => {
      const found = embedded.page.frames().find((frame) => frame.url() === url);
      if (found === undefined) throw new Error('no such frame');
      return found;
    };
    /** What the widget's page would tell, to whoever is around. */
    const tellAll = (page: Page | ReturnType<typeof frameOf>, where: 'here' | 'parent' | 'opener') =>
      page.evaluate((to) => {
        const around = (to === 'here' ? window : to === 'parent' ? window.parent : window.opener) as Window;
        for (const type of ['hello', 'ready', 'enrolled', 'declined', 'error', 'height']) {
          around.postMessage({ type, text: 'x', px: 9_000 }, '*');
        }
      }, where);
    const isToldNothing = async () => {
      // Messages of one window to another stay in order: this one comes after all of them.
      await embedded.page.evaluate(
        () =>
          new Promise<void>((resolve) => {
            addEventListener('message', ({ data }) => data === 'last' && resolve());
            postMessage('last', '*');
          }),
      );
      expect((await embedded.told()).map(({ type }) => type)).toEqual(['svc:ready']);
      expect((await embedded.page.locator('#widget iframe').boundingBox())?.height).toBeLessThan(9_000);
    };

    it('a frame of another site, to the widget and to the page', async () => {
      await open(`<iframe src="${stranger.url}/ad"></iframe>`);
      const ad = frameOf(`${stranger.url}/ad`);
      const heard = await countMessages();
      const overheard = await sendFrom(ad, hello, 'parent');
      await expect.poll(heard).toBe(1);
      await tellAll(ad, 'parent');
      await isToldNothing();
      await isUntouched();
      expect(await overheard()).toEqual([]);
    });

    it('a frame that says hello before anybody else, over and over', async () => {
      await open(
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
      await isUntouched();
      const flooder = frameOf('about:srcdoc');
      expect(await flooder.evaluate('overheard')).toEqual([]);
    });

    it('a window that it opened', async () => {
      await open();
      const opening = context.waitForEvent('page');
      await embedded.page.evaluate((url) => void window.open(url), `${stranger.url}/ad`);
      const popup = await opening;
      await popup.waitForLoadState();
      const heard = await countMessages();
      const overheard = await sendFrom(popup, hello, 'opener');
      await expect.poll(heard).toBe(1);
      await tellAll(popup, 'opener');
      await isToldNothing();
      await isUntouched();
      expect(await overheard()).toEqual([]);
    });

    it('itself, in the widget’s name', async () => {
      await open();
      await tellAll(embedded.page, 'here');
      await isToldNothing();
    });

    it('another widget’s page, which has a channel of its own', async () => {
      await open(container((await harness.token()).token).replace('"widget"', '"other"'), { isReady: false });
      await embedded.isTold('ready', 'ready');
      const other = embedded.page.frames().find((frame) => frame.url().startsWith(harness.widgetUrl));
      if (other === undefined) throw new Error('no widget');
      await tellAll(other, 'parent');
      await embedded.page.evaluate(() => document.body.append('.'));
      expect((await embedded.told()).map(({ type }) => type)).toEqual(['svc:ready', 'svc:ready']);
    });

    it('a frame of another site, which would lead the widget elsewhere', async () => {
      await open(`<iframe src="${stranger.url}/ad"></iframe>`);
      const refusal = await frameOf(`${stranger.url}/ad`).evaluate(() => {
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
      await isUntouched();
    });
  });

  describe('looks into the frame', () => {
    beforeAll(async () => {
      context = await newContext(browser);
      await open();
      const frame = embedded.page.frameLocator('iframe');
      await agree(frame);
      await choosePhoto(frame, await noisePhoto());
    }, 4 * PATIENCE_MS);
    afterAll(() => context?.close());

    it.each([
      ['its document', 'frame.contentDocument'],
      ['its document, by the window', 'frame.contentWindow.document'],
      ['its address', 'frame.contentWindow.location.href'],
      ['its storage', 'frame.contentWindow.localStorage'],
      ['its history', 'frame.contentWindow.history.length'],
      ['its functions', 'frame.contentWindow.fetch'],
      ['its code', 'frame.contentWindow.eval("1")'],
      ['its picture, drawn', 'document.createElement("canvas").getContext("2d").drawImage(frame, 0, 0)'],
      ['its picture, as a bitmap', 'createImageBitmap(frame)'],
      ['its picture, as a stream', 'frame.captureStream()'],
      ['its picture, in a copy', 'document.importNode(frame.contentWindow.document.body, true)'],
      ['its selection', 'frame.contentWindow.getSelection()'],
      ['its camera', 'frame.contentWindow.navigator.mediaDevices'],
      ['its worker and frames', 'frame.contentWindow.length || null'],
      ['its opener, set to its own', '(frame.contentWindow.opener = window)'],
      ['a function, put there', '(frame.contentWindow.onmessage = () => 1)'],
    ])('%s', async (_what, expression) => {
      const seen = await embedded.page.evaluate(async (text) => {
        const look = Function('frame', `return (${text})`) as (frame: Element | null) => unknown;
        try {
          return (await look(document.querySelector('iframe'))) ?? null;
        } catch (error) {
          return (error as Error).name;
        }
      }, expression);
      expect(['SecurityError', 'TypeError', null]).toContain(seen);
    });

    it('its requests, which it is not told of', async () => {
      const names = await embedded.page.evaluate(() => performance.getEntriesByType('resource').map(({ name }) => name));
      expect(names.filter((name) => /\/v1\/|assets/.test(name))).toEqual([]);
    });

    it('the frame still has the photo, and nobody else', async () => {
      await screenOf(embedded.frame(), 'check').waitFor();
      expect(harness.inference?.photos).toEqual([]);
    });
  });

  describe('taps its own lines while a guest enrols', () => {
    beforeEach(async () => {
      context = await newContext(browser);
    });
    afterEach(() => context.close());

    it('hears from the channel what the events say, and nothing else', async () => {
      await context.addInitScript(() => {
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
      await open();
      await enrolByFile(embedded.page.frameLocator('iframe'));
      await embedded.isTold('ready', 'enrolled');
      const tapped = await embedded.page.evaluate(() => (globalThis as unknown as { tapped: object[] }).tapped);
      const types = new Set(tapped.map((message) => (message as { type: string }).type));
      expect([...types].sort()).toEqual(['enrolled', 'height', 'hello', 'ready', 'show-top', 'title']);
      for (const message of tapped) expect(JSON.stringify(message).length).toBeLessThan(120);
      expect(JSON.stringify(tapped)).not.toContain(made.ticketId);
    });

    it('finds that the page uses nothing of it', async () => {
      await context.addInitScript(() => {
        if (window.parent !== window) return;
        const scope = globalThis as unknown as { used: string[] };
        scope.used = [];
        const note = (owner: object, name: string) => {
          Object.defineProperty(owner, name, {
            configurable: true,
            value() {
              scope.used.push(name);
              return new Promise(() => undefined);
            },
          });
        };
        for (const name of ['fetch', 'createImageBitmap', 'FileReader', 'Worker', 'Blob', 'OffscreenCanvas']) note(globalThis, name);
        note(navigator.mediaDevices, 'getUserMedia');
        note(navigator, 'sendBeacon');
        note(URL, 'createObjectURL');
        note(HTMLCanvasElement.prototype, 'toBlob');
        note(HTMLCanvasElement.prototype, 'getContext');
        note(XMLHttpRequest.prototype, 'send');
        for (const name of ['jpeg', 'photo', 'imageBase64', 'token']) {
          Object.defineProperty(Object.prototype, name, { configurable: true, set: () => scope.used.push(name) });
        }
      });
      await open();
      await enrolByFile(embedded.page.frameLocator('iframe'));
      await embedded.isTold('ready', 'enrolled');
      expect(await embedded.page.evaluate('used')).toEqual([]);
    });

    it('answers for its own requests alone, as the worker of its own pages', async () => {
      const sw = `self.addEventListener('install', () => self.skipWaiting());
        self.addEventListener('activate', (event) => event.waitUntil(clients.claim()));
        const seen = [];
        self.addEventListener('fetch', ({ request }) => seen.push(request.url));
        self.addEventListener('message', ({ ports }) => ports[0].postMessage(seen));`;
      harness.organiser.put('/sw.js', { body: sw, isScript: true });
      const page = await context.newPage();
      await page.goto(harness.organiser.put('/first', { body: 'first' }));
      await page.evaluate(async () => {
        await navigator.serviceWorker.register('/sw.js');
        await navigator.serviceWorker.ready;
      });
      await page.close();
      await open();
      expect(await embedded.page.evaluate(() => navigator.serviceWorker.controller !== null)).toBe(true);
      await enrolByFile(embedded.page.frameLocator('iframe'));
      const seen = await embedded.page.evaluate(
        () =>
          new Promise<string[]>((resolve) => {
            const { port1, port2 } = new MessageChannel();
            port1.onmessage = ({ data }) => resolve(data);
            navigator.serviceWorker.controller?.postMessage(null, [port2]);
          }),
      );
      // The page itself and the loader that it includes; of the frame not even its address.
      expect(seen.filter((url) => !/\/(ticket|favicon\.ico|widget\.js)$/.test(url))).toEqual([]);
      expect(seen.some((url) => url.endsWith('/widget.js'))).toBe(true);
    });
  });

  describe('has the guest press what he does not see', () => {
    beforeEach(async () => {
      context = await newContext(browser);
      await open();
    });
    afterEach(() => context.close());

    const style = (css: string) =>
      embedded.page.evaluate((text) => {
        for (const frame of document.querySelectorAll('iframe')) frame.style.cssText += text;
      }, css);

    it('one press where the consent is, through a frame that cannot be seen', async () => {
      await style('opacity: 0; position: absolute; inset: 0');
      const button = embedded.frame().getByRole('button', { name: 'I agree, continue' });
      await button.click();
      await isUntouched();
    });

    it('every press there is, again and again: no photo, no enrolment', async () => {
      await style('opacity: 0');
      const frame = embedded.frame();
      await agree(frame);
      for (const name of ['Start the camera', 'Back to the consent', 'I agree, continue']) {
        const button = frame.getByRole('button', { name });
        if ((await button.count()) > 0) await button.click();
      }
      expect(await harness.tokenState(made.tokenId)).toMatchObject({ state: 'valid', attemptsLeft: 5 });
      expect(await harness.enrolled()).not.toContain(made.ticketId);
    });

    it('keys, with the focus put into the frame by the page', async () => {
      await embedded.page.evaluate(() => {
        const frame = document.querySelector('iframe');
        frame?.focus();
        frame?.contentWindow?.focus();
      });
      for (const key of ['Enter', 'Space', 'Enter']) await embedded.page.keyboard.press(key);
      await isUntouched();
    });

    it('something that lies over the words, and lets presses through', async () => {
      await embedded.page.evaluate(() => {
        const cover = document.createElement('div');
        cover.style.cssText = 'position: absolute; inset: 0; background: #fff; pointer-events: none';
        document.body.append(cover);
      });
      await embedded.page.mouse.click(200, 200, { clickCount: 2 });
      await isUntouched();
    });

    it('a frame of one pixel', async () => {
      await style('width: 1px !important; height: 1px !important');
      await embedded.page.mouse.click(8, 8);
      await isUntouched();
    });
  });

  describe('swaps the frame, or takes it away', () => {
    beforeEach(async () => {
      context = await newContext(browser);
    });
    afterEach(() => context.close());

    /** Says everything that the widget's page could, to whoever is around and by whatever port it is given. */
    const LOOKALIKE = `<p>Enrolled!</p><script>
      const all = ['hello', 'ready', 'enrolled', 'declined', 'error'].map((type) => ({ type, text: 'x' }));
      for (const message of all) parent.postMessage(message, '*');
      addEventListener('message', ({ ports, data }) => {
        got = data;
        for (const message of all) ports[0]?.postMessage(message);
      });
    </script>`;

    const hasLoaded = () =>
      embedded.page.evaluate(
        () =>
          new Promise<void>((resolve) => {
            document.querySelector('iframe')?.addEventListener('load', () => setTimeout(resolve));
          }),
      );
    const lead = async (change: (frame: HTMLIFrameElement, to: string) => void, to = '') => {
      const loaded = hasLoaded();
      await embedded.page.evaluate(`(${change.toString()})(document.querySelector('iframe'), ${JSON.stringify(to)})`);
      await loaded;
    };
    const isToldNoMore = async () => {
      expect((await embedded.told()).map(({ type }) => type)).toEqual(['svc:ready']);
      expect(await harness.tokenState(made.tokenId)).toMatchObject({ state: 'valid' });
    };

    it('for a page of its own that looks the same', async () => {
      const lookalike = harness.organiser.put('/lookalike', { body: LOOKALIKE });
      await open();
      await lead((frame, to) => {
        frame.src = to;
      }, lookalike);
      await isToldNoMore();
      // It was not even said hello to.
      const frame = embedded.page.frames().find((found) => found.url() === lookalike);
      expect(await frame?.evaluate("typeof got")).toBe('undefined');
    });

    it('for a text of its own', async () => {
      await open();
      await lead((frame, to) => {
        frame.srcdoc = to;
      }, LOOKALIKE);
      await isToldNoMore();
    });

    it('for nothing at all', async () => {
      await open();
      await lead((frame) => {
        frame.src = 'about:blank';
      });
      await isToldNoMore();
    });

    it('for another page of the service, which is in nobody’s frame', async () => {
      await context.clock.install();
      await open();
      await lead((frame, to) => {
        frame.src = to;
      }, new URL('/docs', harness.widgetUrl).href);
      await context.clock.fastForward(11_000);
      await embedded.isTold('ready', 'error');
      expect(embedded.page.frames().map((frame) => frame.url())).not.toContain(new URL('/docs', harness.widgetUrl).href);
    });

    it('for a second one beside it, in its place', async () => {
      const lookalike = harness.organiser.put('/lookalike', { body: LOOKALIKE });
      await open();
      await embedded.page.evaluate((to) => {
        const fake = document.createElement('iframe');
        fake.src = to;
        document.querySelector('#widget')?.replaceChildren(fake);
        return new Promise((resolve) => {
          fake.onload = () => setTimeout(resolve);
        });
      }, lookalike);
      await isToldNoMore();
    });

    it('for a copy of it: both are the service’s, one is heard', async () => {
      await open();
      await embedded.page.evaluate(() => {
        const frame = document.querySelector('iframe');
        if (frame !== null) document.body.append(frame.cloneNode());
      });
      const copy = embedded.page.frameLocator('iframe').last();
      await screenOf(copy, 'consent').waitFor();
      await decline(copy);
      await screenOf(copy, 'declined').waitFor();
      expect((await embedded.told()).map(({ type }) => type)).toEqual(['svc:ready']);
      expect(await harness.tokenState(made.tokenId)).toMatchObject({ state: 'declined' });
    });

    it('moves it elsewhere', async () => {
      await open();
      await embedded.page.evaluate(() => {
        const frame = document.querySelector('iframe');
        if (frame !== null) document.body.append(frame);
      });
      await expect.poll(() => embedded.page.locator('iframe').count()).toBe(0);
      await isToldNoMore();
    });

    it('takes it away while the photo is on its way', async () => {
      await open();
      let release = () => undefined as void;
      if (harness.inference === null) throw new Error('no script');
      harness.inference.hold = new Promise((resolve) => {
        release = resolve;
      });
      const frame = embedded.page.frameLocator('iframe');
      await agree(frame);
      await choosePhoto(frame, await noisePhoto());
      await sendPhoto(frame);
      const before = harness.inference.photos.length;
      await expect.poll(() => harness.inference?.photos.length).toBeGreaterThanOrEqual(Math.max(before, 1));
      await embedded.page.evaluate(() => document.querySelector('iframe')?.remove());
      harness.inference.hold = null;
      release();
      // Sent is sent: the service does with it what it does with any.
      await expect.poll(async () => (await harness.tokenState(made.tokenId)).state).toMatch(/used|valid/);
      expect((await embedded.told()).map(({ type }) => type)).toEqual(['svc:ready']);
    });

    it('changes the token in its address: begins anew, with the other one', async () => {
      await open();
      await embedded.frame().locator('[name="explicitBiometricConsent"]').check();
      const other = await harness.token();
      await embedded.page.evaluate((token) => {
        const frame = document.querySelector('iframe');
        if (frame !== null) frame.src = frame.src.replace(/#.*/, `#${token}`);
      }, other.token);
      await embedded.isTold('ready', 'ready');
      expect(await embedded.frame().locator('input:checked').count()).toBe(0);
      expect(await harness.tokenState(made.tokenId)).toMatchObject({ state: 'valid' });
    });

    it('locks it into a sandbox: it can do nothing, and says so', async () => {
      await open();
      await lead((frame) => {
        frame.setAttribute('sandbox', 'allow-scripts');
        frame.src = `${frame.src}`;
        frame.replaceWith(frame);
      });
      await embedded.page.waitForTimeout(0);
      expect(await harness.tokenState(made.tokenId)).toMatchObject({ state: 'valid' });
      expect(await harness.enrolled()).not.toContain(made.ticketId);
    });
  });

  describe('says what the frame may', () => {
    beforeEach(async () => {
      context = await newContext(browser);
    });
    afterEach(() => context.close());

    it('no camera, by its policy: a photo can be chosen', async () => {
      await open('', { headers: { 'permissions-policy': 'camera=()' } });
      await enrolByFile(embedded.page.frameLocator('iframe'));
      await embedded.isTold('ready', 'enrolled');
    });

    it('no connections but its own, which holds for itself alone', async () => {
      const { origin } = new URL(harness.widgetUrl);
      const policy = `script-src ${origin}; frame-src ${origin}; connect-src 'none'; img-src 'none'; form-action 'none'`;
      await open('', { headers: { 'content-security-policy': policy } });
      await enrolByFile(embedded.page.frameLocator('iframe'));
      await embedded.isTold('ready', 'enrolled');
    });

    it('no script of ours: the page is as the organiser wrote it', async () => {
      const headers = { 'content-security-policy': "script-src 'self'" };
      await open('', { headers, isReady: false });
      await embedded.page.waitForLoadState('load');
      expect(await embedded.page.locator('iframe').count()).toBe(0);
      expect(await embedded.told()).toEqual([]);
    });

    it('a policy for the frame, by its attribute', async () => {
      await open();
      await embedded.page.evaluate(
        () =>
          new Promise<void>((resolve) => {
            const frame = document.querySelector('iframe') as HTMLIFrameElement;
            frame.setAttribute('csp', "script-src 'unsafe-inline'; connect-src *");
            frame.addEventListener('load', () => resolve(), { once: true });
            frame.src = frame.src.replace('/widget/#', '/widget/?again#');
          }),
      );
      // The page has a stricter one, or is not shown at all.
      const policies = embedded.page.frames().filter((frame) => frame.url().startsWith(harness.widgetUrl));
      for (const frame of policies) {
        const refused = await frame.evaluate("try { eval('1'); 'ran' } catch (error) { error.name }").catch(() => 'EvalError');
        expect(refused).not.toBe('ran');
      }
      expect(await harness.tokenState(made.tokenId)).toMatchObject({ state: 'valid' });
    });
  });

  describe('would have the loader and its frame fetch from elsewhere', () => {
    beforeEach(async () => {
      context = await newContext(browser);
    });
    afterEach(() => context.close());

    const framesOf = () => embedded.page.frames().map((frame) => frame.url());

    it('by a base address', async () => {
      await open(`<base href="${stranger.url}/">`);
      expect(framesOf()[1]).toContain(harness.widgetUrl);
      await isUntouched();
    });

    it('by an element that calls itself the script', async () => {
      await open(`<img name="currentScript" src="${stranger.url}/widget/widget.js"><a id="Svc" name="Svc"></a>`);
      expect(framesOf()[1]).toContain(harness.widgetUrl);
      expect(await embedded.page.evaluate(() => typeof Svc.mount)).toBe('function');
    });

    it('by settings that would be more than settings', async () => {
      made = await harness.token();
      const evil = `red;background:url(${harness.organiser.url}/leak)`;
      const settings = `data-svc-accent="${evil}" data-svc-font="x;}body{background:url(${harness.organiser.url}/leak)}" data-svc-radius="9px;${evil}" data-svc-theme="dark&quot;&gt;&lt;img src=x&gt;" data-svc-language="../../../../leak"`;
      embedded = await EmbeddedPage.open(context, harness, {
        body: `<div id="widget" ${settings} data-svc-token="${made.token}"></div>${loader()}`,
      });
      await embedded.isTold('ready');
      expect(await embedded.frame().locator('img').count()).toBe(0);
      expect(await embedded.frame().evaluate(() => document.documentElement.getAttribute('style') ?? '')).not.toContain('url');
      expect(harness.organiser.requests.filter(({ target }) => target.includes('leak'))).toEqual([]);
    });

    it('by another site’s loader that came first: the guest’s own choice stays with the service', async () => {
      stranger.put('/widget.js', { body: 'window[Symbol.for("svc.widget")] = true', isScript: true });
      await open(`<script src="${stranger.url}/widget.js"></script>`, { isReady: false });
      await embedded.page.waitForLoadState('load');
      expect(await embedded.page.locator('iframe').count()).toBe(0);
      expect(await harness.tokenState(made.tokenId)).toMatchObject({ state: 'valid' });
    });
  });
});
