import { chromiumPath } from '@svc/benchmarks/inputs/browser';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { agree, choosePhoto, enrolByFile, noisePhoto, screenOf } from './guest.ts';
import { PATIENCE_MS } from './harness.ts';
import { HostileStage } from './hostile-stage.ts';

let stage: HostileStage;

describe.skipIf(chromiumPath === undefined)(
  'a hostile page that looks, and has the guest press',
  { timeout: 4 * PATIENCE_MS },
  () => {
    beforeAll(async () => {
      stage = await HostileStage.start();
    }, 4 * PATIENCE_MS);

    afterAll(() => stage?.close());

    describe('looks into the frame', () => {
      beforeAll(async () => {
        await stage.begin();
        await stage.open();
        const frame = stage.inFrame();
        await agree(frame);
        await choosePhoto(frame, await noisePhoto());
      }, 4 * PATIENCE_MS);
      afterAll(() => stage.end());

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
        const seen = await stage.page().evaluate(async (text) => {
          const look = Function('frame', `return (${text})`) as (frame: Element | null) => unknown;
          try {
            return (await look(document.querySelector('iframe'))) ?? null;
          } catch (error) {
            return (error as Error).name;
          }
        }, expression);
        expect(['SecurityError', 'TypeError', null]).toContain(seen);
      });

      it('into its requests, which it cannot see', async () => {
        const names = await stage
          .page()
          .evaluate(() => performance.getEntriesByType('resource').map(({ name }) => name));
        expect(names.filter((name) => /\/v1\/|assets/.test(name))).toEqual([]);
      });

      it('into the photo, which only the frame has', async () => {
        await screenOf(stage.frame(), 'check').waitFor();
        expect(stage.harness.inference?.photos).toEqual([]);
      });
    });

    describe('taps its own connections while a guest enrols', () => {
      beforeEach(async () => {
        await stage.begin();
      });
      afterEach(() => stage.end());

      it('gets only the events’ data from the channel', async () => {
        await stage.context.addInitScript(() => {
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
        await stage.open();
        await enrolByFile(stage.inFrame());
        await stage.isTold('ready', 'enrolled');
        const tapped = await stage.page().evaluate(() => (globalThis as unknown as { tapped: object[] }).tapped);
        const types = new Set(tapped.map((message) => (message as { type: string }).type));
        expect([...types].sort()).toEqual(['enrolled', 'height', 'hello', 'ready', 'show-top', 'title']);
        for (const message of tapped) expect(JSON.stringify(message).length).toBeLessThan(120);
        expect(JSON.stringify(tapped)).not.toContain(stage.made.ticketId);
      });

      it('can override nothing that the page uses', async () => {
        await stage.context.addInitScript(() => {
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
          for (const name of ['fetch', 'createImageBitmap', 'FileReader', 'Worker', 'Blob', 'OffscreenCanvas'])
            note(globalThis, name);
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
        await stage.open();
        await enrolByFile(stage.inFrame());
        await stage.isTold('ready', 'enrolled');
        expect(await stage.page().evaluate('used')).toEqual([]);
      });

      it('with a service worker: it answers for its own pages only', async () => {
        const sw = `self.addEventListener('install', () => self.skipWaiting());
        self.addEventListener('activate', (event) => event.waitUntil(clients.claim()));
        const seen = [];
        self.addEventListener('fetch', ({ request }) => seen.push(request.url));
        self.addEventListener('message', ({ ports }) => ports[0].postMessage(seen));`;
        stage.harness.organiser.put('/sw.js', { body: sw, isScript: true });
        const page = await stage.context.newPage();
        await page.goto(stage.harness.organiser.put('/first', { body: 'first' }));
        await page.evaluate(async () => {
          await navigator.serviceWorker.register('/sw.js');
          await navigator.serviceWorker.ready;
        });
        await page.close();
        await stage.open();
        expect(await stage.page().evaluate(() => navigator.serviceWorker.controller !== null)).toBe(true);
        await enrolByFile(stage.inFrame());
        const seen = await stage.page().evaluate(
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

    describe('makes the guest press what cannot be seen', () => {
      beforeEach(async () => {
        await stage.begin();
        await stage.open();
      });
      afterEach(() => stage.end());

      const style = (css: string) =>
        stage.page().evaluate((text) => {
          for (const frame of document.querySelectorAll('iframe')) frame.style.cssText += text;
        }, css);

      it('one press on the consent, through an invisible frame', async () => {
        await style('opacity: 0; position: absolute; inset: 0');
        const button = stage.frame().getByRole('button', { name: 'I agree, continue' });
        await button.click();
        await stage.isUntouched();
      });

      it('many presses everywhere: no photo, no enrolment', async () => {
        await style('opacity: 0');
        const frame = stage.frame();
        await agree(frame);
        for (const name of ['Start the camera', 'Back to consent', 'I agree, continue']) {
          const button = frame.getByRole('button', { name });
          if ((await button.count()) > 0) await button.click();
        }
        expect(await stage.tokenState()).toMatchObject({ state: 'valid', attemptsLeft: 5 });
        expect(await stage.harness.enrolled()).not.toContain(stage.made.ticketId);
      });

      it('keys, with the focus moved into the frame by the page', async () => {
        await stage.page().evaluate(() => {
          const frame = document.querySelector('iframe');
          frame?.focus();
          frame?.contentWindow?.focus();
        });
        for (const key of ['Enter', 'Space', 'Enter']) await stage.page().keyboard.press(key);
        await stage.isUntouched();
      });

      it('an overlay that lets presses through', async () => {
        await stage.page().evaluate(() => {
          const cover = document.createElement('div');
          cover.style.cssText = 'position: absolute; inset: 0; background: #fff; pointer-events: none';
          document.body.append(cover);
        });
        await stage.page().mouse.click(200, 200, { clickCount: 2 });
        await stage.isUntouched();
      });

      it('a frame of one pixel', async () => {
        await style('width: 1px !important; height: 1px !important');
        await stage.page().mouse.click(8, 8);
        await stage.isUntouched();
      });
    });
  },
);
