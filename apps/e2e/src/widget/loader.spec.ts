import { queryDatabase } from '@svc/api/testing';
import sharp from 'sharp';
import { test as base, expect } from '../support/browser-test.ts';
import { decline, enrolByFile } from './guest.ts';
import { EmbeddedPage } from './stage.ts';

/** An organiser's pages with the loader's script in different places. */
interface Loader {
  script(attributes?: string): string;
  div(token: string, id?: string, more?: string): string;
  open(body?: string, headers?: Record<string, string>): Promise<EmbeddedPage>;
  token(): Promise<string>;
}

const test = base.extend<{ readonly loader: Loader }>({
  async loader({ context, widget }, use) {
    await use({
      script: (attributes = 'async') => `<script src="${widget.widgetUrl}widget.js" ${attributes}></script>`,
      div: (token, id = 'widget', more = '') => `<div id="${id}" data-svc-token="${token}" ${more}></div>`,
      open: (body, headers) =>
        EmbeddedPage.open(context, widget, { ...(body !== undefined && { body }), ...(headers && { headers }) }),
      token: async () => (await widget.token()).token,
    });
  },
});

test.describe('markup', () => {
  test('becomes a frame that may use the camera, as tall as its page, and replaces the former content', async ({
    loader,
  }) => {
    const { div, script } = loader;
    const embedded = await loader.open(`${div(await loader.token()).replace('</div>', 'One moment</div>')}${script()}`);
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
  });

  test('is found wherever and whenever it is added, and follows its token', async ({ loader }) => {
    const embedded = await loader.open(loader.script());
    const { page } = embedded;
    const [first, second] = [await loader.token(), await loader.token()];
    await page.evaluate(
      (html) => {
        document.body.insertAdjacentHTML('beforeend', `<main><section>${html}</section></main>`);
      },
      loader.div(first, 'late'),
    );
    await embedded.isTold('ready');
    // Another token, then none, then the first one again.
    const setToken = (value: string | null) =>
      page.evaluate((given) => {
        const container = document.querySelector('#late');
        if (given === null) container?.removeAttribute('data-svc-token');
        else container?.setAttribute('data-svc-token', given);
      }, value);
    await setToken(second);
    await embedded.isTold('ready', 'ready');
    expect(await page.locator('iframe').count()).toBe(1);
    await expect.poll(() => embedded.frame().url()).toContain(second);
    await setToken(null);
    await expect.poll(() => page.locator('iframe').count()).toBe(0);
    await setToken(first);
    await embedded.isTold('ready', 'ready', 'ready');
    // Removed with its container, and back with it.
    await page.evaluate(() => {
      const container = document.querySelector('#late') as HTMLElement;
      Object.assign(globalThis, { container });
      container.remove();
    });
    await expect.poll(() => page.frames().length).toBe(1);
    await page.evaluate(() => document.body.append((globalThis as unknown as { container: HTMLElement }).container));
    await embedded.isTold('ready', 'ready', 'ready', 'ready');
  });

  test('gets its own container’s events, and its script does nothing the second time', async ({ loader }) => {
    const { div, script, token } = loader;
    const embedded = await loader.open(
      `${script('')}${div(await token(), 'one')}${div(await token(), 'two')}${script('')}${script()}`,
    );
    await embedded.isTold('ready', 'ready');
    expect(await embedded.page.locator('iframe').count()).toBe(2);
    await enrolByFile(embedded.page.frameLocator('#two iframe'));
    await decline(embedded.page.frameLocator('#one iframe'));
    await embedded.isTold('ready', 'ready', 'enrolled', 'declined');
    expect((await embedded.told()).slice(2)).toMatchObject([{ on: 'two' }, { on: 'one' }]);
  });

  test('applies the language and looks of its attributes', async ({ loader }) => {
    const attributes = 'data-svc-theme="dark" data-svc-accent="#7a1fa2" data-svc-language="de"';
    const embedded = await loader.open(`${loader.div(await loader.token(), 'widget', attributes)}${loader.script()}`);
    await embedded.isTold('ready');
    const shown = () =>
      embedded.frame().evaluate(() => {
        const { dataset, style, lang } = document.documentElement;
        return { theme: dataset.theme, accent: style.getPropertyValue('--svc-accent'), lang };
      });
    await expect.poll(shown).toEqual({ theme: 'dark', accent: expect.stringContaining('#7a1fa2'), lang: 'de' });
    await expect.poll(() => embedded.page.locator('iframe').getAttribute('title')).not.toBe('Face check-in');
  });

  for (const [colorScheme, attributes] of [
    ['dark', ''],
    ['light', 'data-svc-theme="dark"'],
    ['dark', 'data-svc-theme="light"'],
  ] as const) {
    test.describe(`in a ${colorScheme} system ${attributes}`, { tag: '@long' }, () => {
      test.use({ colorScheme });
      test('shows the page around at its corners', async ({ loader }) => {
        const ground = '<style>html { background: #c0ffee }</style>';
        const { div, script } = loader;
        const embedded = await loader.open(`${ground}${div(await loader.token(), 'widget', attributes)}${script()}`);
        await embedded.isTold('ready');
        const { x = -1, y = -1 } = (await embedded.page.locator('iframe').boundingBox()) ?? {};
        const picture = await embedded.page.screenshot({ clip: { x, y, width: 2, height: 2 } });
        const corner = await sharp(picture).removeAlpha().raw().toBuffer();
        expect(corner.subarray(0, 3).toString('hex')).toBe('c0ffee');
      });
    });
  }

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

test.describe('Svc.mount', () => {
  interface Handle {
    unmount(): void;
    reset(token?: string): void;
  }

  test('mounts, replaces existing content, and unmounts', async ({ loader }) => {
    const embedded = await loader.open(`<section id="widget">The standard entrance</section>${loader.script('')}`);
    const { page } = embedded;
    const mount = (name: string, token: string) =>
      page.evaluate(
        ([name, token]) => {
          const container = document.querySelector<HTMLElement>('#widget');
          if (container !== null)
            Object.assign(globalThis, { [name]: Svc.mount(container, token, { theme: 'light' }) });
        },
        [name, token] as const,
      );
    const unmount = (name: string) =>
      page.evaluate((name) => (globalThis as unknown as Record<string, Handle>)[name]?.unmount(), name);
    const second = await loader.token();
    await mount('first', await loader.token());
    await embedded.isTold('ready');
    expect(await embedded.frame().evaluate(() => document.documentElement.dataset.theme)).toBe('light');
    await mount('second', second);
    // The removed widget's handle does not affect the other one.
    await unmount('first');
    await embedded.isTold('ready', 'ready');
    await expect.poll(() => embedded.frame().url()).toContain(second);
    await unmount('second');
    await unmount('second');
    await expect.poll(() => page.locator('iframe').count()).toBe(0);
    // In an element that is not yet in the page, independent of other events.
    await page.evaluate(
      (given) => {
        const container = document.createElement('div');
        Svc.mount(container, given);
        document.body.append(document.createElement('hr'));
        setTimeout(() => document.body.append(container));
      },
      await loader.token(),
    );
    await embedded.isTold('ready', 'ready', 'ready');
    const thrown = await page.evaluate(() =>
      [null, '#widget', document.createTextNode(''), document].map((container) => {
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

  test('starts over with another token, and calls the functions that it was given, besides the events', async ({
    loader,
    widget,
  }) => {
    const embedded = await loader.open(`<section id="widget"></section>${loader.script('')}`);
    const expired = await widget.token();
    const expire = 'UPDATE enrolment_tokens SET expires_at = $1 WHERE token_id = $2';
    await queryDatabase(widget.api.config.databaseUrl, expire, [new Date(Date.now() - 1), expired.tokenId]);
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
      [expired.token, await loader.token()],
    );
    await embedded.isTold('error', 'ready');
    await decline(embedded.inFrame);
    await embedded.isTold('error', 'ready', 'declined');
    const calls = await embedded.page.evaluate(() => (globalThis as unknown as { calls: string[] }).calls);
    expect(calls).toEqual(['The enrolment token has expired', 'expired', 'ready', 'declined']);
    // By default with the same token, which has been used.
    const call = (name: keyof Handle) =>
      embedded.page.evaluate((name) => (globalThis as unknown as { handle: Handle }).handle[name](), name);
    await call('reset');
    await embedded.isTold('error', 'ready', 'declined', 'error');
    await call('unmount');
    await call('reset');
    expect(await embedded.page.locator('iframe').count()).toBe(0);
  });
});

test.describe('svc:error', () => {
  test('is fired for a malformed token, and the organiser’s content stays', async ({ loader }) => {
    const none = 'The enrolment token is missing.';
    const other = 'This is not an enrolment token.';
    const given = {
      nothing: ['', none],
      'api-key': [`svck_${'a'.repeat(49)}`, other],
      markup: ['&quot;&gt;&lt;img src=x&gt;', other],
      address: ['javascript:alert(1)', other],
      'out-of-the-fragment': ['svce_a?b/../..', other],
    } as const;
    const divs = Object.entries(given).map(([id, [text]]) =>
      loader.div(text, id).replace('</div>', 'The standard entrance</div>'),
    );
    const embedded = await loader.open(`${divs.join('')}${loader.script()}`);
    await embedded.isTold(...divs.map(() => 'error'));
    expect((await embedded.told()).map(({ on, message }) => [on, message])).toEqual(
      Object.entries(given).map(([id, [, message]]) => [id, message]),
    );
    expect(await embedded.page.locator('iframe').count()).toBe(0);
    expect(await embedded.page.locator('div').allTextContents()).toEqual(divs.map(() => 'The standard entrance'));
  });

  test('is fired if nothing answers in the frame', async ({ context, loader, widget }) => {
    await context.clock.install();
    await context.route(widget.widgetUrl, (route) => route.fulfill({ status: 502, body: 'Bad gateway' }));
    const embedded = await loader.open();
    await embedded.page.locator('iframe').waitFor();
    await expect.poll(() => embedded.page.frames().length).toBe(2);
    await embedded.page.waitForLoadState('load');
    await context.clock.fastForward(11_000);
    await embedded.isTold('error');
    expect(await embedded.told()).toMatchObject([{ message: 'The widget could not be loaded.' }]);
  });

  test('is fired in a browser too old for the page, and the organiser’s content stays', async ({ context, loader }) => {
    await context.addInitScript(() => Reflect.deleteProperty(Object, 'hasOwn'));
    const { div, script } = loader;
    const content = 'The standard entrance';
    const embedded = await loader.open(`${div(await loader.token()).replace('</div>', `${content}</div>`)}${script()}`);
    await embedded.isTold('error');
    expect((await embedded.told())[0]?.message).toContain('too old');
    expect(await embedded.page.locator('#widget').textContent()).toBe(content);
    expect(await embedded.page.evaluate('typeof Svc.mount')).toBe('function');
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
  const good: Readonly<Record<string, (origin: string, url: string) => Record<string, string>>> = {
    'what the interface asks for': (origin) => ({
      'content-security-policy': `default-src 'none'; script-src ${origin}; frame-src ${origin}`,
    }),
    'Trusted Types, and nobody may make any': (origin) => ({
      'content-security-policy': `script-src ${origin}; frame-src ${origin}; require-trusted-types-for 'script'; trusted-types 'none'`,
    }),
    'addresses down to the folder': (_origin, url) => ({
      'content-security-policy': `script-src ${url}; frame-src ${url}`,
    }),
    'a report-only policy': () => ({ 'content-security-policy-report-only': "frame-src 'none'" }),
    'cross-origin isolation': () => ({
      'cross-origin-embedder-policy': 'require-corp',
      'cross-origin-opener-policy': 'same-origin',
    }),
  };
  for (const [name, headers] of Object.entries(good)) {
    test(`${name}: works`, async ({ loader, widget }) => {
      const embedded = await loader.open(undefined, headers(new URL(widget.widgetUrl).origin, widget.widgetUrl));
      await embedded.isTold('ready');
      // Told once the consent is laid out.
      const height = () => embedded.page.locator('iframe').evaluate((frame) => frame.style.height);
      await expect.poll(height).not.toBe('480px');
      expect(await embedded.page.evaluate(() => crossOriginIsolated)).toBe(name === 'cross-origin isolation');
      await enrolByFile(embedded.inFrame);
      await embedded.isTold('ready', 'enrolled');
    });
  }

  test('frames are not allowed: reports which policy, once', async ({ context, loader, widget }) => {
    const { origin } = new URL(widget.widgetUrl);
    await context.clock.install();
    const policy = `script-src ${origin}; frame-src 'self'`;
    const embedded = await loader.open(undefined, { 'content-security-policy': policy });
    await embedded.isTold('error');
    await context.clock.fastForward(20_000);
    expect(await embedded.told()).toMatchObject([{ message: expect.stringContaining(`frame-src ${origin}`) }]);
  });

  test('a sandbox, which applies to the frame too: reports that it does not work', async ({ context, loader }) => {
    await context.clock.install();
    const embedded = await loader.open(undefined, { 'content-security-policy': 'sandbox allow-scripts' });
    await expect.poll(() => embedded.page.frames().length).toBe(2);
    await embedded.page.waitForLoadState('load');
    await context.clock.fastForward(11_000);
    await embedded.isTold('error');
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
