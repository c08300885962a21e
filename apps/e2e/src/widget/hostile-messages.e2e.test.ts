import { chromiumPath } from '@svc/benchmarks/inputs/browser';
import type { Frame, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { PATIENCE_MS } from './harness.ts';
import { HostileStage, hello } from './hostile-stage.ts';

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
    for (const type of ['hello', 'ready', 'enrolled', 'declined', 'error', 'height']) {
      page.postMessage({ type, text: 'x', px: 9_000 }, '*');
    }
  }, around);
}

let stage: HostileStage;

describe.skipIf(chromiumPath === undefined)('messages of a hostile page', { timeout: 4 * PATIENCE_MS }, () => {
  beforeAll(async () => {
    stage = await HostileStage.start();
  }, 4 * PATIENCE_MS);

  afterAll(() => stage?.close());

  describe('fakes messages to the frame', () => {
    beforeAll(async () => {
      await stage.begin();
      await stage.open(`<iframe src="${stage.stranger.url}/ad"></iframe><iframe id="own" srcdoc="own"></iframe>`);
    }, 4 * PATIENCE_MS);
    afterAll(() => stage.end());

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
      const heard = await stage.countMessages();
      const overheard = await sendFrom(stage.page(), data, 'here');
      await expect.poll(heard).toBe(1);
      await stage.isUntouched();
      expect(await overheard()).toEqual([]);
    });

    it('a thousand hellos at once', async () => {
      const heard = await stage.countMessages();
      await stage.page().evaluate((data) => {
        const target = window[window.length - 1] as Window;
        for (let i = 0; i < 1_000; i += 1) target.postMessage(data, '*', [new MessageChannel().port2]);
      }, hello);
      await expect.poll(heard).toBe(1_000);
      await stage.isUntouched();
    });
  });

  describe('lets others send messages', () => {
    beforeEach(async () => {
      await stage.begin();
    });
    afterEach(() => stage.end());

    const frameOf = (url: string) => {
      const found = stage
        .page()
        .frames()
        .find((frame) => frame.url() === url);
      if (found === undefined) throw new Error('no such frame');
      return found;
    };
    const isToldNothing = async () => {
      // Messages between two windows stay in order, so this one comes after all of them.
      await stage.page().evaluate(
        () =>
          new Promise<void>((resolve) => {
            addEventListener('message', ({ data }) => data === 'last' && resolve());
            postMessage('last', '*');
          }),
      );
      expect((await stage.told()).map(({ type }) => type)).toEqual(['svc:ready']);
      expect((await stage.page().locator('#widget iframe').boundingBox())?.height).toBeLessThan(9_000);
    };

    it('a frame of another site, to the widget and to the page', async () => {
      await stage.open(`<iframe src="${stage.stranger.url}/ad"></iframe>`);
      const ad = frameOf(`${stage.stranger.url}/ad`);
      const heard = await stage.countMessages();
      const overheard = await sendFrom(ad, hello, 'parent');
      await expect.poll(heard).toBe(1);
      await tellAll(ad, 'parent');
      await isToldNothing();
      await stage.isUntouched();
      expect(await overheard()).toEqual([]);
    });

    it('a frame that says hello first, over and over', async () => {
      await stage.open(
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
      await stage.isUntouched();
      const flooder = frameOf('about:srcdoc');
      expect(await flooder.evaluate('overheard')).toEqual([]);
    });

    it('a window that it opened', async () => {
      await stage.open();
      const opening = stage.context.waitForEvent('page');
      await stage.page().evaluate((url) => void window.open(url), `${stage.stranger.url}/ad`);
      const popup = await opening;
      await popup.waitForLoadState();
      const heard = await stage.countMessages();
      const overheard = await sendFrom(popup, hello, 'opener');
      await expect.poll(heard).toBe(1);
      await tellAll(popup, 'opener');
      await isToldNothing();
      await stage.isUntouched();
      expect(await overheard()).toEqual([]);
    });

    it('itself, in the widget’s name', async () => {
      await stage.open();
      await tellAll(stage.page(), 'here');
      await isToldNothing();
    });

    it('another widget’s page, which has a channel of its own', async () => {
      await stage.open(stage.container((await stage.harness.token()).token).replace('"widget"', '"other"'), {
        isReady: false,
      });
      await stage.isTold('ready', 'ready');
      const other = stage
        .page()
        .frames()
        .find((frame) => frame.url().startsWith(stage.harness.widgetUrl));
      if (other === undefined) throw new Error('no widget');
      await tellAll(other, 'parent');
      await stage.page().evaluate(() => document.body.append('.'));
      expect((await stage.told()).map(({ type }) => type)).toEqual(['svc:ready', 'svc:ready']);
    });

    it('a frame of another site, which tries to navigate the widget', async () => {
      await stage.open(`<iframe src="${stage.stranger.url}/ad"></iframe>`);
      const refusal = await frameOf(`${stage.stranger.url}/ad`).evaluate(() => {
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
      await stage.isUntouched();
    });
  });
});
