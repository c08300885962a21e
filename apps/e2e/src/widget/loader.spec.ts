import type { BrowserContext } from '@playwright/test';
import { queryDatabase } from '@svc/api/testing';
import { test as base, expect } from '../support/browser-test.ts';
import { decline, enrolByFile } from './guest.ts';
import { EmbeddedPage, type WidgetService } from './stage.ts';

/** An organiser's pages with the loader's script in different places. */
const loaderOf = (context: BrowserContext, widget: WidgetService) => ({
  script: (attributes = 'async') => `<script src="${widget.widgetUrl}widget.js" ${attributes}></script>`,
  div: (token: string, id = 'widget', more = '') => `<div id="${id}" data-svc-token="${token}" ${more}></div>`,
  open: (body?: string, headers?: Record<string, string>) =>
    EmbeddedPage.open(context, widget, { ...(body !== undefined && { body }), ...(headers && { headers }) }),
  token: async () => (await widget.token()).token,
});

const test = base.extend<{ readonly loader: ReturnType<typeof loaderOf> }>({
  loader: ({ context, widget }, use) => use(loaderOf(context, widget)),
});

test.describe('markup', () => {
  test('becomes a frame that may use the camera, as tall as its page, with the settings of its attributes', async ({
    loader,
  }) => {
    const { div, script } = loader;
    const attributes = 'data-svc-theme="dark" data-svc-accent="#7a1fa2" data-svc-language="de"';
    const container = div(await loader.token(), 'widget', attributes).replace('</div>', 'One moment</div>');
    // The loader declares nothing in the page, whose own names are kept.
    const embedded = await loader.open(`<script>const script = 1;</script>${container}${script()}`);
    await embedded.isTold('ready');
    expect(await embedded.told()).toEqual([{ type: 'svc:ready', message: null, on: 'widget', isTrusted: false }]);
    const frame = embedded.page.locator('#widget > iframe');
    expect(await frame.getAttribute('allow')).toBe('camera');
    expect(await frame.getAttribute('referrerpolicy')).toBe('no-referrer');
    expect(await embedded.page.locator('#widget').textContent()).toBe('');
    const hidden = () => {
      const { scrollHeight, clientHeight } = document.documentElement;
      return scrollHeight - clientHeight;
    };
    await expect.poll(() => embedded.frame().evaluate(hidden)).toBe(0);
    expect((await frame.boundingBox())?.height).toBeGreaterThan(500);
    const shown = () =>
      embedded.frame().evaluate(() => {
        const { dataset, style, lang } = document.documentElement;
        return { theme: dataset.theme, accent: style.getPropertyValue('--svc-accent'), lang };
      });
    await expect.poll(shown).toEqual({ theme: 'dark', accent: expect.stringContaining('#7a1fa2'), lang: 'de' });
    await expect.poll(() => frame.getAttribute('title')).not.toBe('Face check-in');
  });

  test('is found whenever it is added, follows its token, and leaves with its container', async ({ loader }) => {
    const embedded = await loader.open(loader.script());
    const { page } = embedded;
    const [first, second] = [await loader.token(), await loader.token()];
    await page.evaluate(
      (html) => document.body.insertAdjacentHTML('beforeend', `<main>${html}</main>`),
      loader.div(first, 'late'),
    );
    await embedded.isTold('ready');
    const late = page.locator('#late');
    await late.evaluate((container, token) => container.setAttribute('data-svc-token', token), second);
    await embedded.isTold('ready', 'ready');
    expect(await page.locator('iframe').count()).toBe(1);
    await expect.poll(() => embedded.frame().url()).toContain(second);
    await late.evaluate((container) => container.removeAttribute('data-svc-token'));
    await expect.poll(() => page.locator('iframe').count()).toBe(0);
    await late.evaluate((container, token) => container.setAttribute('data-svc-token', token), first);
    await embedded.isTold('ready', 'ready', 'ready');
    const container = await late.elementHandle();
    await late.evaluate((element) => element.remove());
    await expect.poll(() => page.frames().length).toBe(1);
    await page.evaluate((element) => element && document.body.append(element), container);
    await embedded.isTold('ready', 'ready', 'ready', 'ready');
  });

  test('gets its own container’s events, and its script does nothing the second time', async ({ loader }) => {
    const { div, script, token } = loader;
    const embedded = await loader.open(
      `${script('')}${div(await token(), 'one')}${div(await token(), 'two')}${script('')}${script()}`,
    );
    await embedded.isTold('ready', 'ready');
    expect(await embedded.page.locator('iframe').count()).toBe(2);
    for (const id of ['two', 'one']) await decline(embedded.page.frameLocator(`#${id} iframe`));
    await embedded.isTold('ready', 'ready', 'declined', 'declined');
    expect((await embedded.told()).slice(2)).toMatchObject([{ on: 'two' }, { on: 'one' }]);
  });

  test('scrolls to its top at the next step', async ({ loader }) => {
    const filler = '<p style="block-size: 500px">The ticket</p>';
    const embedded = await loader.open(
      `${filler}${loader.div(await loader.token())}${filler.repeat(3)}${loader.script()}`,
    );
    await embedded.isTold('ready');
    const { page } = embedded;
    await page.evaluate(() => scrollTo(0, document.querySelector('iframe')?.offsetTop ?? 0));
    const top = () => page.evaluate(() => document.querySelector('iframe')?.getBoundingClientRect().top ?? 0);
    await embedded.inFrame.locator('.choices button').last().scrollIntoViewIfNeeded();
    await page.evaluate(() => scrollBy(0, 40));
    expect(await top()).toBeLessThan(0);
    await decline(embedded.inFrame);
    await embedded.shows('declined');
    await expect.poll(top).toBeGreaterThanOrEqual(-1);
  });
});

test('Svc.mount replaces, starts over and unmounts, and calls the functions that it was given', async ({
  loader,
  widget,
}) => {
  const embedded = await loader.open(`<section id="widget">The standard entrance</section>${loader.script('')}`);
  const { page } = embedded;
  const expired = await widget.token();
  const expire = 'UPDATE enrolment_tokens SET expires_at = $1 WHERE token_id = $2';
  await queryDatabase(widget.api.config.databaseUrl, expire, [new Date(Date.now() - 1), expired.tokenId]);
  await page.evaluate(
    ([old = '', fresh]) => {
      const calls: string[] = [];
      const note = (name: string) => () => void calls.push(name);
      const container = document.querySelector<HTMLElement>('#widget') as HTMLElement;
      const replaced = Svc.mount(container, fresh ?? '');
      const handle = Svc.mount(container, old, {
        theme: 'light',
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
      // The handle of the one that was replaced does not affect the other.
      replaced.unmount();
      Object.assign(globalThis, { calls, handle });
    },
    [expired.token, await loader.token()],
  );
  await embedded.isTold('error', 'ready');
  expect(await embedded.frame().evaluate(() => document.documentElement.dataset.theme)).toBe('light');
  await decline(embedded.inFrame);
  await embedded.isTold('error', 'ready', 'declined');
  const expected = ['The enrolment token has expired', 'expired', 'ready', 'declined'];
  expect(await page.evaluate('calls')).toEqual(expected);
  // By default with the same token, which has been used.
  await page.evaluate('handle.reset()');
  await embedded.isTold('error', 'ready', 'declined', 'error');
  await page.evaluate('handle.unmount(); handle.unmount(); handle.reset()');
  expect(await page.locator('iframe').count()).toBe(0);
  const thrown = await page.evaluate(() =>
    [null, '#widget', document].map((container) => {
      try {
        Svc.mount(container as unknown as HTMLElement, 'svce_x');
      } catch (error) {
        return (error as Error).name;
      }
      return null;
    }),
  );
  expect(thrown).toEqual(Array(3).fill('TypeError'));
});

test.describe('svc:error', () => {
  const content = 'The standard entrance';

  test('is fired for a malformed token, and the organiser’s content stays', async ({ loader }) => {
    const none = 'The enrolment token is missing.';
    const other = 'This is not an enrolment token.';
    const given = [
      ['', none],
      [`svck_${'a'.repeat(49)}`, other],
      ['&quot;&gt;&lt;img src=x&gt;', other],
      ['svce_a?b/../..', other],
    ] as const;
    const divs = given.map(([token], i) => loader.div(token, `of-${i}`).replace('</div>', `${content}</div>`));
    const embedded = await loader.open(`${divs.join('')}${loader.script()}`);
    await embedded.isTold(...divs.map(() => 'error'));
    expect((await embedded.told()).map(({ on, message }) => [on, message])).toEqual(
      given.map(([, message], i) => [`of-${i}`, message]),
    );
    expect(await embedded.page.locator('iframe').count()).toBe(0);
    expect(await embedded.page.locator('div').allTextContents()).toEqual(divs.map(() => content));
  });

  test('is fired in a browser too old for the page, and the organiser’s content stays', async ({ context, loader }) => {
    await context.addInitScript(() => Reflect.deleteProperty(Object, 'hasOwn'));
    const { div, script } = loader;
    const embedded = await loader.open(`${div(await loader.token()).replace('</div>', `${content}</div>`)}${script()}`);
    await embedded.isTold('error');
    expect((await embedded.told())[0]?.message).toContain('too old');
    expect(await embedded.page.locator('#widget').textContent()).toBe(content);
    expect(await embedded.page.evaluate('typeof Svc.mount')).toBe('function');
  });

  test('is fired if nothing answers in the frame', async ({ context, loader, widget }) => {
    await context.clock.install();
    await context.route(widget.widgetUrl, (route) => route.fulfill({ status: 502, body: 'Bad gateway' }));
    const embedded = await loader.open();
    await expect.poll(() => embedded.page.frames().length).toBe(2);
    await embedded.page.waitForLoadState('load');
    await context.clock.fastForward(11_000);
    await embedded.isTold('error');
    expect(await embedded.told()).toMatchObject([{ message: 'The widget could not be loaded.' }]);
  });
});

test('the script does not replace an existing global, and has its types beside it', async ({ loader, widget }) => {
  const { div, script } = loader;
  const embedded = await loader.open(`<script>var Svc = 'mine'</script>${div(await loader.token())}${script()}`);
  await embedded.isTold('ready');
  expect(await embedded.page.evaluate('Svc')).toBe('mine');
  const types = await (await fetch(`${widget.widgetUrl}widget.d.ts`)).text();
  for (const name of ['interface SvcWidget', "'svc:error': CustomEvent<WidgetErrorDetail>", 'var Svc: SvcWidget'])
    expect(types).toContain(name);
});

test.describe('policies of the embedding page', () => {
  test('what the interface asks for, no camera, cross-origin isolation, and Trusted Types that nobody may make: works', async ({
    loader,
    widget,
  }) => {
    const { origin } = new URL(widget.widgetUrl);
    const embedded = await loader.open(undefined, {
      'content-security-policy': `default-src 'none'; script-src ${origin}; frame-src ${origin}; require-trusted-types-for 'script'; trusted-types 'none'`,
      'permissions-policy': 'camera=()',
      'cross-origin-embedder-policy': 'require-corp',
      'cross-origin-opener-policy': 'same-origin',
    });
    await embedded.isTold('ready');
    expect(await embedded.page.evaluate(() => crossOriginIsolated)).toBe(true);
    await enrolByFile(embedded.inFrame);
    await embedded.isTold('ready', 'enrolled');
  });

  test('frames are not allowed: reports which policy, once', async ({ context, loader, widget }) => {
    const { origin } = new URL(widget.widgetUrl);
    await context.clock.install();
    const policy = `script-src ${origin}; frame-src 'self'`;
    const embedded = await loader.open(undefined, { 'content-security-policy': policy });
    await embedded.isTold('error');
    await context.clock.fastForward(20_000);
    expect(await embedded.told()).toMatchObject([{ message: expect.stringContaining(`frame-src ${origin}`) }]);
  });
});

test('works in the demo’s page, under the documented policy', async ({ page, widget }) => {
  await page.goto(`${widget.api.url}/demo`);
  const events = page.locator('#events li');
  await expect.poll(() => events.allTextContents()).toEqual(['svc:ready']);
  await decline(page.frameLocator('iframe'));
  await expect.poll(() => events.allTextContents()).toEqual(['svc:ready', 'svc:declined']);
  // The next visit is by another guest.
  await page.reload();
  await expect.poll(() => events.allTextContents()).toEqual(['svc:ready']);
});
