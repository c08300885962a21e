import type { Frame, Page } from '@playwright/test';
import { launchChromium } from '@svc/benchmarks/inputs/browser';
import { test as base, expect } from '../support/browser-test.ts';
import { agree, choosePhoto, enrolByFile, screenOf, sendPhoto } from './guest.ts';
import { EmbeddedPage, type OrganiserSite, startOrganiserSite } from './stage.ts';

/** Sends all messages of the widget's page to every window around, and through every port it receives. */
const LOOKALIKE = `<p>Enrolled!</p><script>
  const all = ['hello', 'ready', 'enrolled', 'declined', 'error'].map((type) => ({ type, text: 'x' }));
  for (const message of all) parent.postMessage(message, '*');
  addEventListener('message', ({ ports, data }) => {
    got = data;
    for (const message of all) ports[0]?.postMessage(message);
  });
</script>`;

function frameAt(page: Page, url: string): Frame {
  const found = page.frames().find((frame) => frame.url().startsWith(url));
  if (found === undefined) throw new Error(`no frame of ${url}`);
  return found;
}

const tokenIs = ({ service, made }: EmbeddedPage, state: string): Promise<void> =>
  expect.poll(async () => (await service.tokenState(made.tokenId)).state).toBe(state);

/** The page got no event after the first, and nothing was decided in the guest's name. */
async function isUntouched(hostile: EmbeddedPage): Promise<void> {
  const { page, service, made } = hostile;
  await page.evaluate(() => new Promise((resolve) => setTimeout(resolve)));
  expect((await hostile.told()).map(({ type }) => type)).toEqual(['svc:ready']);
  expect(await service.tokenState(made.tokenId)).toMatchObject({ state: 'valid', attemptsLeft: 5 });
  expect(await service.isEnrolled(made.ticketId)).toBe(false);
  for (const frame of page.frames().filter((each) => each.url().startsWith(service.widgetUrl))) {
    // Whether visible or not: the page around may make the frame tiny.
    await screenOf(frame, 'consent').waitFor({ state: 'attached' });
    expect(await frame.locator('input:checked').count()).toBe(0);
  }
}

const test = base.extend<{
  readonly stranger: OrganiserSite;
  /** A hostile organiser's page around the widget, which is ready. */
  readonly open: (o?: Parameters<typeof EmbeddedPage.open>[2]) => Promise<EmbeddedPage>;
}>({
  async stranger({ browserName: _ }, use) {
    const stranger = await startOrganiserSite();
    stranger.put('/ad', { body: '<p>Buy!</p>' });
    await use(stranger);
    await stranger.close();
  },
  async open({ context, widget }, use) {
    await use(async (o) => {
      const hostile = await EmbeddedPage.open(context, widget, o);
      await hostile.isTold('ready');
      return hostile;
    });
  },
});

test.describe('a hostile page replaces the frame', { tag: '@long' }, () => {
  const changes: Readonly<Record<string, string>> = {
    'by its own page that looks the same': 'frame.src = lookalike',
    'by a second one in its place':
      'frame.parentElement.replaceChildren(Object.assign(document.createElement("iframe"), { src: lookalike }))',
    'by a text of its own': 'frame.srcdoc = text',
  };
  for (const [how, change] of Object.entries(changes)) {
    test(how, async ({ open, widget }) => {
      const lookalike = widget.organiser.put('/lookalike', { body: LOOKALIKE });
      const hostile = await open();
      const run = ([code, url, html]: string[]) => {
        const frame = document.querySelector('iframe');
        Function('frame', 'lookalike', 'text', code ?? '')(frame, url, html);
      };
      await hostile.page.evaluate(run, [change, lookalike, LOOKALIKE]);
      await expect.poll(() => hostile.page.frames().some((one) => one.url().startsWith(widget.widgetUrl))).toBe(false);
      if (change.includes('lookalike')) {
        await expect.poll(() => hostile.page.frames().some((one) => one.url() === lookalike)).toBe(true);
        const fake = frameAt(hostile.page, lookalike);
        await fake.waitForLoadState('load');
        // It did not even get the hello.
        expect(await fake.evaluate('typeof got')).toBe('undefined');
      }
      await isUntouched(hostile);
    });
  }

  const refused: Readonly<Record<string, (frame: HTMLIFrameElement) => void>> = {
    'by another page of the service, which may not be framed': (frame) => {
      frame.src = new URL('/docs', frame.src).href;
    },
    'by one in a sandbox': (frame) => {
      frame.setAttribute('sandbox', 'allow-scripts allow-forms');
      frame.replaceWith(frame);
    },
    'by one with a policy weaker than the widget’s own': (frame) => {
      frame.setAttribute('csp', "script-src 'unsafe-inline' *; connect-src *");
      frame.replaceWith(frame);
    },
  };
  for (const [how, change] of Object.entries(refused)) {
    test(`${how}: it can do nothing`, async ({ context, open }) => {
      await context.clock.install();
      const hostile = await open();
      const loaded = hostile.page.evaluate(
        () => new Promise((resolve) => document.querySelector('iframe')?.addEventListener('load', resolve)),
      );
      await hostile.page.evaluate(`(${change.toString()})(document.querySelector('iframe'))`);
      await loaded.catch(() => undefined);
      await context.clock.fastForward(11_000);
      await hostile.isTold('ready', 'error');
      await tokenIs(hostile, 'valid');
    });
  }

  test('by removing it while the photo is sent: the guest had pressed the button', async ({ open, widget }) => {
    const hostile = await open();
    const before = widget.inference.photos.length;
    const release = widget.inference.hold();
    await agree(hostile.inFrame);
    await choosePhoto(hostile.inFrame);
    await sendPhoto(hostile.inFrame);
    await expect.poll(() => widget.inference.photos.length).toBe(before + 1);
    await hostile.page.evaluate(() => document.querySelector('iframe')?.remove());
    release();
    await tokenIs(hostile, 'used');
    await hostile.isTold('ready');
  });

  test('by another token in its address: the widget starts over', async ({ open, widget }) => {
    const hostile = await open();
    await hostile.frame().locator('[name="explicitBiometricConsent"]').check();
    await hostile.page.evaluate(
      (token) => {
        const frame = document.querySelector('iframe');
        if (frame !== null) frame.src = frame.src.replace(/#.*/, `#${token}`);
      },
      (await widget.token()).token,
    );
    await hostile.isTold('ready', 'ready');
    expect(await hostile.frame().locator('input:checked').count()).toBe(0);
  });
});

test('a hostile page misleads the loader by a base address, and elements named as it uses names', {
  tag: '@long',
}, async ({ open, stranger, widget }) => {
  const { url } = stranger;
  const more = `<base href="${url}/"><img name="currentScript" src="${url}/widget/widget.js"><a id="Svc" name="Svc"></a>`;
  const hostile = await open({ more });
  expect(hostile.page.frames()[1]?.url()).toContain(widget.widgetUrl);
  expect(await hostile.page.evaluate(() => typeof Svc.mount)).toBe('function');
  await isUntouched(hostile);
});

test('a hostile page taps the channel while a guest enrols: it sees the events’ data only', async ({
  context,
  open,
}) => {
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
  const hostile = await open();
  await enrolByFile(hostile.inFrame);
  await hostile.isTold('ready', 'enrolled');
  const tapped = await hostile.page.evaluate(() => (globalThis as unknown as { tapped: { type: string }[] }).tapped);
  const types = new Set(tapped.map(({ type }) => type));
  expect([...types].sort()).toEqual(['enrolled', 'height', 'hello', 'ready', 'show-top', 'title']);
  for (const message of tapped) expect(JSON.stringify(message).length).toBeLessThan(120);
  expect(JSON.stringify(tapped)).not.toContain(hostile.made.ticketId);
  const names = await hostile.page.evaluate(() => performance.getEntriesByType('resource').map(({ name }) => name));
  expect(names.filter((name) => /\/v1\/|assets/.test(name))).toEqual([]);
});

test('a hostile page makes the guest press what cannot be seen', async ({ open }) => {
  const hostile = await open();
  const { page } = hostile;
  const style = (css: string) =>
    page.evaluate((text) => {
      for (const frame of document.querySelectorAll('iframe')) frame.style.cssText += text;
    }, css);
  await test.step('one press on the consent, through an invisible frame', async () => {
    await style('opacity: 0; position: absolute; inset: 0');
    await hostile.frame().getByRole('button', { name: 'I agree, continue' }).click();
    await isUntouched(hostile);
  });
  await test.step('keys, with the focus moved into the frame by the page', async () => {
    await page.evaluate(() => document.querySelector('iframe')?.focus());
    for (const key of ['Enter', 'Space', 'Enter']) await page.keyboard.press(key);
    await isUntouched(hostile);
  });
  await test.step('a frame of one pixel', async () => {
    await style('width: 1px !important; height: 1px !important');
    await page.mouse.click(8, 8);
    await isUntouched(hostile);
  });
});

test('another frame’s hellos, over and over before the loader’s own, get no channel', async ({ open }) => {
  const more = `<iframe srcdoc="<script>
    overheard = [];
    setInterval(() => {
      for (let i = 0; i < parent.length; i += 1) {
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = ({ data }) => overheard.push(data);
        if (parent[i] !== window) parent[i].postMessage({ svc: 'hello', version: 1 }, '*', [port2]);
      }
    }, 1);
  </script>"></iframe>`;
  const hostile = await open({ more });
  await isUntouched(hostile);
  expect(await frameAt(hostile.page, 'about:srcdoc').evaluate('overheard')).toEqual([]);
});

// Nothing in the page is replaced: the frames' permissions are the browser's.
test('the camera is for the widget’s frame alone', { tag: '@long' }, async ({ stranger, widget }) => {
  const browser = await launchChromium('--use-fake-ui-for-media-stream', '--use-fake-device-for-media-stream');
  const more = `<iframe src="${stranger.url}/ad"></iframe>`;
  const hostile = await EmbeddedPage.open(await browser.newContext(), widget, { more });
  await hostile.isTold('ready');
  const ask = (frame: Frame) =>
    frame.evaluate(() =>
      navigator.mediaDevices.getUserMedia({ video: true }).then(
        () => 'opened',
        (error: Error) => error.name,
      ),
    );
  expect(await ask(frameAt(hostile.page, stranger.url))).toBe('NotAllowedError');
  expect(await ask(hostile.frame())).toBe('opened');
  await browser.close();
});
