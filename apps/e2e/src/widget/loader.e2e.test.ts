import { queryDatabase } from '@svc/api/testing';
import { chromiumPath, launchChromium } from '@svc/benchmarks/inputs/browser';
import type { Browser, BrowserContext } from 'playwright-core';
import sharp from 'sharp';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { EmbeddedPage, newContext } from './embedding.ts';
import { decline, enrolByFile, runsAll } from './guest.ts';
import { PATIENCE_MS, startWidgetHarness, type WidgetHarness } from './harness.ts';

let harness: WidgetHarness;
let browser: Browser;
let context: BrowserContext;

const script = (attributes = 'async') => `<script src="${harness.widgetUrl}widget.js" ${attributes}></script>`;
const div = (token: string, id = 'widget', more = '') => `<div id="${id}" data-svc-token="${token}" ${more}></div>`;
const open = (body?: string, headers?: Record<string, string>) =>
  EmbeddedPage.open(context, harness, { ...(body !== undefined && { body }), ...(headers && { headers }) });
const token = async (request?: object) => (await harness.token(request)).token;

describe.skipIf(chromiumPath === undefined)('widget.js', { timeout: 4 * PATIENCE_MS }, () => {
  beforeAll(async () => {
    harness = await startWidgetHarness({ environment: { SVC_DEMO: 'on' } });
    browser = await launchChromium();
  }, 4 * PATIENCE_MS);

  afterAll(async () => {
    await browser?.close();
    await harness?.close();
  });

  beforeEach(async () => {
    context = await newContext(browser);
  });

  afterEach(() => context.close());

  describe('markup', () => {
    it('becomes a frame that may use the camera, as tall as its page, and replaces the former content', async () => {
      const embedded = await open(`${div(await token()).replace('</div>', 'One moment</div>')}${script()}`);
      await embedded.isTold('ready');
      const { page } = embedded;
      expect(await embedded.told()).toEqual([{ type: 'svc:ready', message: null, on: 'widget', isTrusted: false }]);
      const frame = page.locator('#widget > iframe');
      expect(await frame.getAttribute('allow')).toBe('camera');
      expect(await frame.getAttribute('referrerpolicy')).toBe('no-referrer');
      expect(await page.locator('#widget').textContent()).toBe('');
      await expect
        .poll(() =>
          embedded
            .frame()
            .evaluate(() => document.documentElement.scrollHeight - document.documentElement.clientHeight),
        )
        .toBe(0);
      const { height } = (await frame.boundingBox()) ?? { height: 0 };
      expect(height).toBeGreaterThan(500);
    });

    it('is found wherever and whenever it is added, and follows its token', async () => {
      const embedded = await open(script());
      const [first, second] = [await token(), await token()];
      await embedded.page.evaluate(
        (html) => {
          document.body.insertAdjacentHTML('beforeend', `<main><section>${html}</section></main>`);
        },
        div(first, 'late'),
      );
      await embedded.isTold('ready');
      // Another token, then none, then the first one again.
      const setToken = (value: string | null) =>
        embedded.page.evaluate((given) => {
          const container = document.querySelector('#late');
          if (given === null) container?.removeAttribute('data-svc-token');
          else container?.setAttribute('data-svc-token', given);
        }, value);
      await setToken(second);
      await embedded.isTold('ready', 'ready');
      expect(await embedded.page.locator('iframe').count()).toBe(1);
      await expect.poll(() => embedded.frame().url()).toContain(second);
      await setToken(null);
      await expect.poll(() => embedded.page.locator('iframe').count()).toBe(0);
      await setToken(first);
      await embedded.isTold('ready', 'ready', 'ready');
    });

    it('gets its own container’s events', async () => {
      const [first, second] = [await token(), await token()];
      const embedded = await open(`${div(first, 'one')}${div(second, 'two')}${script()}`);
      await embedded.isTold('ready', 'ready');
      await enrolByFile(embedded.page.frameLocator('#two iframe'));
      await decline(embedded.page.frameLocator('#one iframe'));
      await embedded.isTold('ready', 'ready', 'enrolled', 'declined');
      expect((await embedded.told()).slice(2)).toMatchObject([{ on: 'two' }, { on: 'one' }]);
    });

    it('is removed with its frame, and comes back with it', async () => {
      const embedded = await open();
      await embedded.isTold('ready');
      await embedded.page.evaluate(() => {
        const container = document.querySelector('#widget') as HTMLElement;
        Object.assign(globalThis, { container });
        container.remove();
      });
      await expect.poll(() => embedded.page.frames().length).toBe(1);
      await embedded.page.evaluate(() => {
        document.body.append((globalThis as unknown as { container: HTMLElement }).container);
      });
      await embedded.isTold('ready', 'ready');
      expect(await embedded.page.locator('iframe').count()).toBe(1);
    });

    it('applies the language and looks of its attributes', async () => {
      const attributes = 'data-svc-theme="dark" data-svc-accent="#7a1fa2" data-svc-language="de"';
      const embedded = await open(`${div(await token(), 'widget', attributes)}${script()}`);
      await embedded.isTold('ready');
      const shown = () =>
        embedded.frame().evaluate(() => {
          const { dataset, style, lang } = document.documentElement;
          return { theme: dataset.theme, accent: style.getPropertyValue('--svc-accent'), lang };
        });
      await expect.poll(shown).toEqual({ theme: 'dark', accent: expect.stringContaining('#7a1fa2'), lang: 'de' });
      await expect.poll(() => embedded.page.locator('iframe').getAttribute('title')).not.toBe('Face check-in');
    });

    it.skipIf(!runsAll).each([
      ['dark', 'that follows it', ''],
      ['light', 'that is dark', 'data-svc-theme="dark"'],
      ['dark', 'that is light', 'data-svc-theme="light"'],
    ] as const)(
      'shows the page around at its corners: a system that is %s, a frame %s',
      async (scheme, _frame, attributes) => {
        await context.close();
        context = await browser.newContext({ colorScheme: scheme });
        const ground = '<style>html { background: #c0ffee }</style>';
        const embedded = await open(`${ground}${div(await token(), 'widget', attributes)}${script()}`);
        await embedded.isTold('ready');
        const { x, y } = (await embedded.page.locator('iframe').boundingBox()) ?? { x: -1, y: -1 };
        const picture = await embedded.page.screenshot({ clip: { x, y, width: 2, height: 2 } });
        const corner = await sharp(picture).removeAlpha().raw().toBuffer();
        expect(corner.subarray(0, 3).toString('hex')).toBe('c0ffee');
      },
    );

    it('scrolls to its top at the next step', async () => {
      const filler = '<p style="block-size: 500px">The ticket</p>';
      const embedded = await open(`${filler}${div(await token())}${filler.repeat(3)}${script()}`);
      await embedded.isTold('ready');
      const { page } = embedded;
      await page.evaluate(() => scrollTo(0, document.querySelector('iframe')?.offsetTop ?? 0));
      const top = () => page.evaluate(() => document.querySelector('iframe')?.getBoundingClientRect().top ?? 0);
      const frame = page.frameLocator('iframe');
      await frame.locator('.choices button').last().scrollIntoViewIfNeeded();
      await page.evaluate(() => scrollBy(0, 40));
      expect(await top()).toBeLessThan(0);
      await decline(frame);
      await embedded.shows('declined');
      await expect.poll(top).toBeGreaterThanOrEqual(-1);
    });
  });

  describe('Svc.mount', () => {
    it('mounts, replaces existing content, and unmounts', async () => {
      const embedded = await open(`<section id="widget">The standard entrance</section>${script('')}`);
      const [first, second] = [await token(), await token()];
      const { page } = embedded;
      await page.evaluate((given) => {
        const container = document.querySelector<HTMLElement>('#widget');
        if (container !== null) Object.assign(globalThis, { first: Svc.mount(container, given, { theme: 'light' }) });
      }, first);
      await embedded.isTold('ready');
      expect(await embedded.frame().evaluate(() => document.documentElement.dataset.theme)).toBe('light');
      await page.evaluate((given) => {
        const container = document.querySelector<HTMLElement>('#widget');
        if (container !== null) Object.assign(globalThis, { second: Svc.mount(container, given) });
        // The removed widget's handle does not affect the other one.
        (globalThis as unknown as { first: { unmount(): void } }).first.unmount();
      }, second);
      await embedded.isTold('ready', 'ready');
      await expect.poll(() => embedded.frame().url()).toContain(second);
      await page.evaluate(() => {
        const { second: handle } = globalThis as unknown as { second: { unmount(): void } };
        handle.unmount();
        handle.unmount();
      });
      await expect.poll(() => page.locator('iframe').count()).toBe(0);
    });

    it('starts over with another token, and calls the functions that it was given, besides the events', async () => {
      const embedded = await open(`<section id="widget"></section>${script('')}`);
      const expired = await harness.token();
      await queryDatabase(
        harness.api.config.databaseUrl,
        'UPDATE enrolment_tokens SET expires_at = $1 WHERE token_id = $2',
        [new Date(Date.now() - 1), expired.tokenId],
      );
      await embedded.page.evaluate(
        ([old, fresh]) => {
          const calls: string[] = [];
          const note = (name: string) => () => void calls.push(name);
          const container = document.querySelector<HTMLElement>('#widget');
          if (container === null || old === undefined) return;
          const handle = Svc.mount(container, old, {
            onReady: note('ready'),
            onDeclined() {
              note('declined')();
              throw new Error('stops nothing');
            },
            onError: ({ message }) => calls.push(message),
            onExpired() {
              note('expired')();
              handle.reset(fresh);
            },
          });
          Object.assign(globalThis, { calls, handle });
        },
        [expired.token, await token()],
      );
      await embedded.isTold('error', 'ready');
      await decline(embedded.page.frameLocator('iframe'));
      await embedded.isTold('error', 'ready', 'declined');
      const calls = () => embedded.page.evaluate(() => (globalThis as unknown as { calls: string[] }).calls);
      expect(await calls()).toEqual(['The enrolment token has expired', 'expired', 'ready', 'declined']);
      // By default with the same token, which has been used.
      const reset = () =>
        embedded.page.evaluate(() => (globalThis as unknown as { handle: { reset(): void } }).handle.reset());
      await reset();
      await embedded.isTold('error', 'ready', 'declined', 'error');
      await embedded.page.evaluate(() => (globalThis as unknown as { handle: { unmount(): void } }).handle.unmount());
      await reset();
      expect(await embedded.page.locator('iframe').count()).toBe(0);
    });

    it('waits in an element that is not yet in the page', async () => {
      const embedded = await open(script(''));
      await embedded.page.evaluate(
        (given) => {
          const container = document.createElement('div');
          container.id = 'dialog';
          Svc.mount(container, given);
          // Independent of other events.
          document.body.append(document.createElement('hr'));
          setTimeout(() => document.body.append(container));
        },
        await token(),
      );
      await embedded.isTold('ready');
    });

    it('throws for a value that is not an element', async () => {
      const embedded = await open(`<p id="widget">text</p>${script('')}`);
      const thrown = await embedded.page.evaluate(() =>
        [null, '#widget', document.querySelector('#widget')?.firstChild, document].map((container) => {
          try {
            Svc.mount(container as unknown as HTMLElement, 'svce_x');
          } catch (error) {
            return (error as Error).name;
          }
          return null;
        }),
      );
      expect(thrown).toEqual(Array(4).fill('TypeError'));
    });
  });

  describe('svc:error', () => {
    it('is fired for a malformed token only', async () => {
      const none = 'The enrolment token is missing.';
      const other = 'This is not an enrolment token.';
      const given = {
        nothing: ['', none],
        'api-key': [`svck_${'a'.repeat(49)}`, other],
        markup: ['&quot;&gt;&lt;img src=x&gt;', other],
        address: ['javascript:alert(1)', other],
        'out-of-the-fragment': ['svce_a?b/../..', other],
      } as const;
      const kept = (text: string, id: string) => div(text, id).replace('</div>', 'The standard entrance</div>');
      const divs = Object.entries(given).map(([id, [text]]) => kept(text, id));
      const embedded = await open(`${divs.join('')}${script()}`);
      await embedded.isTold(...divs.map(() => 'error'));
      expect((await embedded.told()).map(({ on, message }) => [on, message])).toEqual(
        Object.entries(given).map(([id, [, message]]) => [id, message]),
      );
      expect(await embedded.page.locator('iframe').count()).toBe(0);
      expect(await embedded.page.locator('div').allTextContents()).toEqual(divs.map(() => 'The standard entrance'));
    });

    it('is fired for a token that the service refuses', async () => {
      const revoked = await harness.token();
      const path = `/v1/events/${harness.stage.eventId}/enrolment-tokens/${revoked.tokenId}`;
      await harness.customer.request('DELETE', path);
      const embedded = await open(`${div(revoked.token)}${script()}`);
      await embedded.isTold('error');
      expect((await embedded.told())[0]?.message).not.toBe('');
      await embedded.shows('ended');
    });

    it('is fired if nothing answers in the frame', async () => {
      await context.clock.install();
      await context.route(`${harness.widgetUrl}`, (route) => route.fulfill({ status: 502, body: 'Bad gateway' }));
      const embedded = await open();
      const { page } = embedded;
      await page.locator('iframe').waitFor();
      await expect.poll(() => page.frames().length).toBe(2);
      await page.waitForLoadState('load');
      await context.clock.fastForward(11_000);
      await embedded.isTold('error');
      expect(await embedded.told()).toMatchObject([{ message: 'The widget could not be loaded.' }]);
    });

    it('is fired in a browser too old for the page, and the organiser’s content stays', async () => {
      await context.addInitScript(() => Reflect.deleteProperty(Object, 'hasOwn'));
      const embedded = await open(`${div(await token()).replace('</div>', 'The standard entrance</div>')}${script()}`);
      await embedded.isTold('error');
      expect((await embedded.told())[0]?.message).toContain('too old');
      expect(await embedded.page.locator('#widget').textContent()).toBe('The standard entrance');
      expect(await embedded.page.evaluate('typeof Svc.mount')).toBe('function');
    });
  });

  describe('the script', () => {
    it('does nothing the second time', async () => {
      const embedded = await open(`${script('')}${div(await token())}${script('')}${script()}`);
      await embedded.isTold('ready');
      expect(await embedded.page.locator('iframe').count()).toBe(1);
    });

    it('does not replace an existing global', async () => {
      const embedded = await open(`<script>var Svc = 'mine'</script>${div(await token())}${script()}`);
      await embedded.isTold('ready');
      expect(await embedded.page.evaluate('Svc')).toBe('mine');
    });

    it('has its types beside it', async () => {
      const types = await (await fetch(`${harness.widgetUrl}widget.d.ts`)).text();
      for (const name of ['interface SvcWidget', "'svc:error': CustomEvent<WidgetErrorDetail>", 'var Svc: SvcWidget']) {
        expect(types).toContain(name);
      }
    });
  });

  describe('policies of the embedding page', () => {
    const origin = () => new URL(harness.widgetUrl).origin;
    it.each([
      ['what the interface asks for', () => `default-src 'none'; script-src ${origin()}; frame-src ${origin()}`],
      [
        'Trusted Types, and nobody may make any',
        () => `script-src ${origin()}; frame-src ${origin()}; require-trusted-types-for 'script'; trusted-types 'none'`,
      ],
      ['addresses down to the folder', () => `script-src ${harness.widgetUrl}; frame-src ${harness.widgetUrl}`],
    ])('%s: works', async (_name, policy) => {
      const embedded = await open(undefined, { 'content-security-policy': policy() });
      await embedded.isTold('ready');
      // Told once the consent is laid out.
      const height = () => embedded.page.locator('iframe').evaluate((frame) => frame.style.height);
      await expect.poll(height).not.toBe('480px');
    });

    it('cross-origin isolation: works', async () => {
      const headers = { 'cross-origin-embedder-policy': 'require-corp', 'cross-origin-opener-policy': 'same-origin' };
      const embedded = await open(undefined, headers);
      await embedded.isTold('ready');
      expect(await embedded.page.evaluate(() => crossOriginIsolated)).toBe(true);
      await enrolByFile(embedded.page.frameLocator('iframe'));
      await embedded.isTold('ready', 'enrolled');
    });

    it('frames are not allowed: reports which policy, once', async () => {
      await context.clock.install();
      const embedded = await open(undefined, { 'content-security-policy': `script-src ${origin()}; frame-src 'self'` });
      await embedded.isTold('error');
      await context.clock.fastForward(20_000);
      expect(await embedded.told()).toMatchObject([{ message: expect.stringContaining(`frame-src ${origin()}`) }]);
    });

    it('a sandbox, which applies to the frame too: reports that it does not work', async () => {
      await context.clock.install();
      const embedded = await open(undefined, { 'content-security-policy': 'sandbox allow-scripts' });
      await expect.poll(() => embedded.page.frames().length).toBe(2);
      await embedded.page.waitForLoadState('load');
      await context.clock.fastForward(11_000);
      await embedded.isTold('error');
    });

    it('a report-only policy: works', async () => {
      const embedded = await open(undefined, { 'content-security-policy-report-only': "frame-src 'none'" });
      await embedded.isTold('ready');
    });
  });

  it('works in the demo’s page, under the documented policy', async () => {
    const page = await context.newPage();
    await page.goto(`${harness.api.url}/demo`);
    const events = page.locator('#events li');
    await expect.poll(() => events.allTextContents()).toEqual(['svc:ready']);
    await decline(page.frameLocator('iframe'));
    await expect.poll(() => events.allTextContents()).toEqual(['svc:ready', 'svc:declined']);
    // The next visit is by another guest.
    await page.reload();
    await expect.poll(() => events.allTextContents()).toEqual(['svc:ready']);
  });
});
