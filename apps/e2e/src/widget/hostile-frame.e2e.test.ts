import { chromiumPath } from '@svc/benchmarks/inputs/browser';
import type { Frame, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { agree, choosePhoto, decline, enrolByFile, noisePhoto, screenOf, sendPhoto } from './guest.ts';
import { PATIENCE_MS } from './harness.ts';
import { HostileStage, hello } from './hostile-stage.ts';

/** Sends all messages of the widget's page to every window around, and through every port it receives. */
const LOOKALIKE = `<p>Enrolled!</p><script>
  const all = ['hello', 'ready', 'enrolled', 'declined', 'error'].map((type) => ({ type, text: 'x' }));
  for (const message of all) parent.postMessage(message, '*');
  addEventListener('message', ({ ports, data }) => {
    got = data;
    for (const message of all) ports[0]?.postMessage(message);
  });
</script>`;

let stage: HostileStage;

describe.skipIf(chromiumPath === undefined)(
  'a hostile page that changes what is in the frame',
  { timeout: 4 * PATIENCE_MS },
  () => {
    beforeAll(async () => {
      stage = await HostileStage.start();
    }, 4 * PATIENCE_MS);

    afterAll(() => stage?.close());

    describe('replaces or removes the frame', () => {
      beforeEach(async () => {
        await stage.begin();
      });
      afterEach(() => stage.end());

      const hasLoaded = () =>
        stage.page().evaluate(
          () =>
            new Promise<void>((resolve) => {
              document.querySelector('iframe')?.addEventListener('load', () => setTimeout(resolve));
            }),
        );
      const lead = async (change: (frame: HTMLIFrameElement, to: string) => void, to = '') => {
        const loaded = hasLoaded();
        await stage.page().evaluate(`(${change.toString()})(document.querySelector('iframe'), ${JSON.stringify(to)})`);
        await loaded;
      };
      const isToldNoMore = async () => {
        expect((await stage.told()).map(({ type }) => type)).toEqual(['svc:ready']);
        expect(await stage.tokenState()).toMatchObject({ state: 'valid' });
      };

      it('by its own page that looks the same', async () => {
        const lookalike = stage.harness.organiser.put('/lookalike', { body: LOOKALIKE });
        await stage.open();
        await lead((frame, to) => {
          frame.src = to;
        }, lookalike);
        await isToldNoMore();
        // It did not even get the hello.
        const frame = () =>
          stage
            .page()
            .frames()
            .find((found) => found.url() === lookalike);
        await expect.poll(() => frame()?.evaluate('typeof got')).toBe('undefined');
      });

      it('by a text of its own', async () => {
        await stage.open();
        await lead((frame, to) => {
          frame.srcdoc = to;
        }, LOOKALIKE);
        await isToldNoMore();
      });

      it('by nothing', async () => {
        await stage.open();
        await lead((frame) => {
          frame.src = 'about:blank';
        });
        await isToldNoMore();
      });

      it('by another page of the service, which may not be framed', async () => {
        await stage.context.clock.install();
        await stage.open();
        await lead((frame, to) => {
          frame.src = to;
        }, new URL('/docs', stage.harness.widgetUrl).href);
        await stage.context.clock.fastForward(11_000);
        await stage.isTold('ready', 'error');
        expect(
          stage
            .page()
            .frames()
            .map((frame) => frame.url()),
        ).not.toContain(new URL('/docs', stage.harness.widgetUrl).href);
      });

      it('by a second one in its place', async () => {
        const lookalike = stage.harness.organiser.put('/lookalike', { body: LOOKALIKE });
        await stage.open();
        await stage.page().evaluate((to) => {
          const fake = document.createElement('iframe');
          fake.src = to;
          document.querySelector('#widget')?.replaceChildren(fake);
          return new Promise((resolve) => {
            fake.onload = () => setTimeout(resolve);
          });
        }, lookalike);
        await isToldNoMore();
      });

      it('by a copy: both are the service’s, one is heard', async () => {
        await stage.open();
        await stage.page().evaluate(() => {
          const frame = document.querySelector('iframe');
          if (frame !== null) document.body.append(frame.cloneNode());
        });
        const copy = stage.page().frameLocator('iframe').last();
        await screenOf(copy, 'consent').waitFor();
        await decline(copy);
        await screenOf(copy, 'declined').waitFor();
        expect((await stage.told()).map(({ type }) => type)).toEqual(['svc:ready']);
        expect(await stage.tokenState()).toMatchObject({ state: 'declined' });
      });

      it('by moving it', async () => {
        await stage.open();
        await stage.page().evaluate(() => {
          const frame = document.querySelector('iframe');
          if (frame !== null) document.body.append(frame);
        });
        await expect.poll(() => stage.page().locator('iframe').count()).toBe(0);
        await isToldNoMore();
      });

      it('by removing it while the photo is sent', async () => {
        await stage.open();
        let release = (): void => undefined;
        if (stage.harness.inference === null) throw new Error('no script');
        const before = stage.harness.inference.photos.length;
        stage.harness.inference.hold = new Promise((resolve) => {
          release = resolve;
        });
        const frame = stage.inFrame();
        await agree(frame);
        await choosePhoto(frame, await noisePhoto());
        await sendPhoto(frame);
        await expect.poll(() => stage.harness.inference?.photos.length).toBe(before + 1);
        await stage.page().evaluate(() => document.querySelector('iframe')?.remove());
        stage.harness.inference.hold = null;
        release();
        // The photo was sent when the guest pressed the button.
        await expect.poll(async () => (await stage.tokenState()).state).toBe('used');
        expect(await stage.harness.enrolled()).toContain(stage.made.ticketId);
        expect((await stage.told()).map(({ type }) => type)).toEqual(['svc:ready']);
      });

      it('changes the token in its address: the widget starts over with the other token', async () => {
        await stage.open();
        await stage.frame().locator('[name="explicitBiometricConsent"]').check();
        const other = await stage.harness.token();
        await stage.page().evaluate((token) => {
          const frame = document.querySelector('iframe');
          if (frame !== null) frame.src = frame.src.replace(/#.*/, `#${token}`);
        }, other.token);
        await stage.isTold('ready', 'ready');
        expect(await stage.frame().locator('input:checked').count()).toBe(0);
        expect(await stage.tokenState()).toMatchObject({ state: 'valid' });
      });

      it('puts it into a sandbox: it can do nothing', async () => {
        await stage.context.clock.install();
        await stage.open();
        await lead((frame) => {
          frame.setAttribute('sandbox', 'allow-scripts allow-forms');
          frame.replaceWith(frame);
        });
        await stage.context.clock.fastForward(11_000);
        await stage.isTold('ready', 'error');
        expect(await stage.tokenState()).toMatchObject({ state: 'valid' });
      });
    });

    describe('is itself framed by a stranger’s page', () => {
      beforeEach(async () => {
        await stage.begin();
      });
      afterEach(() => stage.end());

      /**
       * Nested frames: the stranger's page, which keeps sending hellos to everything inside, contains the organiser's
       * page, which contains the widget.
       */
      async function openWithin(): Promise<{ readonly top: Page; readonly organiser: Frame; readonly widget: Frame }> {
        const made = await stage.harness.token();
        const body = `${stage.container(made.token)}${stage.loader}`;
        const ticket = stage.harness.organiser.put('/ticket', { body });
        const around = `<iframe src="${ticket}" width="800"></iframe><script>
          overheard = [];
          setInterval(() => {
            const { port1, port2 } = new MessageChannel();
            port1.onmessage = ({ data }) => overheard.push(data);
            frames[0]?.[0]?.postMessage(${JSON.stringify(hello)}, '*', [port2]);
          }, 1);
        </script>`;
        const top = await stage.context.newPage();
        await top.goto(stage.stranger.put('/around', { body: around }));
        await screenOf(top.frameLocator('iframe').frameLocator('iframe'), 'consent').waitFor();
        const at = (url: string) => {
          const found = top.frames().find((frame) => frame.url().startsWith(url));
          if (found === undefined) throw new Error(`no frame of ${url}`);
          return found;
        };
        const organiser = at(ticket);
        await organiser.evaluate(() => {
          const scope = globalThis as unknown as { told: string[] };
          scope.told = [];
          for (const name of ['ready', 'enrolled', 'declined', 'error'])
            document.addEventListener(`svc:${name}`, ({ type }) => scope.told.push(type));
        });
        return { top, organiser, widget: at(stage.harness.widgetUrl) };
      }

      it('that says hello past the organiser: the widget listens to its parent only', async () => {
        const { top, organiser, widget } = await openWithin();
        await decline(widget);
        await screenOf(widget, 'declined').waitFor();
        await expect.poll(() => organiser.evaluate('told')).toContain('svc:declined');
        expect(await top.evaluate('overheard')).toEqual([]);
      });

      it('that navigates the widget elsewhere: the organiser gets no event that the guest did not cause', async () => {
        const lookalike = stage.stranger.put('/lookalike', { body: LOOKALIKE });
        const { top, organiser } = await openWithin();
        await top.evaluate((to) => {
          if (window[0]?.[0] !== undefined) window[0][0].location.href = to;
        }, lookalike);
        await expect.poll(() => top.frames().some((frame) => frame.url() === lookalike)).toBe(true);
        const fake = top.frames().find((frame) => frame.url() === lookalike);
        await fake?.waitForLoadState('load');
        await organiser.evaluate(() => new Promise((resolve) => setTimeout(resolve)));
        // It may get an event that nothing answers any more.
        expect(await organiser.evaluate('told.filter((type) => /enrolled|declined/.test(type))')).toEqual([]);
      });
    });

    describe('restricts the frame', () => {
      beforeEach(async () => {
        await stage.begin();
      });
      afterEach(() => stage.end());

      it('with a policy against the camera: a photo can be chosen', async () => {
        await stage.open('', { headers: { 'permissions-policy': 'camera=()' } });
        await enrolByFile(stage.inFrame());
        await stage.isTold('ready', 'enrolled');
      });

      it('with a policy against other connections, which applies to itself only', async () => {
        const { origin } = new URL(stage.harness.widgetUrl);
        const policy = `script-src ${origin}; frame-src ${origin}; connect-src 'none'; img-src 'none'; form-action 'none'`;
        await stage.open('', { headers: { 'content-security-policy': policy } });
        await enrolByFile(stage.inFrame());
        await stage.isTold('ready', 'enrolled');
      });

      it('with a policy against our script: the page stays as the organiser wrote it', async () => {
        const headers = { 'content-security-policy': "script-src 'self'" };
        await stage.open('', { headers, isReady: false });
        await stage.page().waitForLoadState('load');
        expect(await stage.page().locator('iframe').count()).toBe(0);
        expect(await stage.told()).toEqual([]);
      });

      it('with a policy by an attribute, weaker than the widget’s own: the browser refuses the frame, and the page is told', async () => {
        await stage.open();
        await stage.frame().locator('[name="writtenRelease"]').check();
        await stage.page().evaluate(() => {
          const frame = document.querySelector('iframe');
          frame?.setAttribute('csp', "script-src 'unsafe-inline' *; connect-src *");
          frame?.replaceWith(frame);
        });
        await stage.isTold('ready', 'error');
        expect(await stage.tokenState()).toMatchObject({ state: 'valid' });
      });
    });

    describe('tries to make the loader and its frame fetch from elsewhere', () => {
      beforeEach(async () => {
        await stage.begin();
      });
      afterEach(() => stage.end());

      const framesOf = () =>
        stage
          .page()
          .frames()
          .map((frame) => frame.url());

      it('by a base address', async () => {
        await stage.open(`<base href="${stage.stranger.url}/">`);
        expect(framesOf()[1]).toContain(stage.harness.widgetUrl);
        await stage.isUntouched();
      });

      it('by an element named like the script', async () => {
        await stage.open(
          `<img name="currentScript" src="${stage.stranger.url}/widget/widget.js"><a id="Svc" name="Svc"></a>`,
        );
        expect(framesOf()[1]).toContain(stage.harness.widgetUrl);
        expect(await stage.page().evaluate(() => typeof Svc.mount)).toBe('function');
      });

      it('by settings with other content', async () => {
        const evil = `red;background:url(${stage.harness.organiser.url}/leak)`;
        const attributes = [
          `data-svc-accent="${evil}"`,
          `data-svc-font="x;}body{background:url(${stage.harness.organiser.url}/leak)}"`,
          `data-svc-radius="9px;${evil}"`,
          'data-svc-theme="dark&quot;&gt;&lt;img src=x&gt;"',
          'data-svc-language="../../../../leak"',
        ].join(' ');
        await stage.open('', { attributes });
        expect(await stage.frame().locator('img').count()).toBe(0);
        expect(await stage.frame().evaluate(() => document.documentElement.getAttribute('style') ?? '')).not.toContain(
          'url',
        );
        expect(stage.harness.organiser.requests.filter(({ target }) => target.includes('leak'))).toEqual([]);
      });

      it('by another site’s loader that came first: the guest’s choice stays with the service', async () => {
        stage.stranger.put('/widget.js', { body: 'window[Symbol.for("svc.widget")] = true', isScript: true });
        await stage.open(`<script src="${stage.stranger.url}/widget.js"></script>`, { isReady: false });
        await stage.page().waitForLoadState('load');
        expect(await stage.page().locator('iframe').count()).toBe(0);
        expect(await stage.tokenState()).toMatchObject({ state: 'valid' });
      });
    });
  },
);
