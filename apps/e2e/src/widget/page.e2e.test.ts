import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createManualClock, createStage, createToken } from '@svc/api/testing';
import { chromiumPath } from '@svc/benchmarks/inputs/browser';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { prepareZXingModule, readBarcodes } from 'zxing-wasm/reader';
import { axeViolations } from '../support/gallery.ts';
import { EmbeddedPage, newContext } from './embedding.ts';
import {
  agree,
  choosePhoto,
  decline,
  enrolByFile,
  firstOf,
  noisePhoto,
  runsAll,
  screenOf,
  sendPhoto,
} from './guest.ts';
import { GuestStage } from './guest-stage.ts';
import { type GuestTab, nothing, phone } from './guest-tab.ts';
import { PATIENCE_MS } from './harness.ts';

const wasm = createRequire(import.meta.url).resolve('zxing-wasm/reader/zxing_reader.wasm');

describe.skipIf(chromiumPath === undefined)('the widget’s page', { timeout: 4 * PATIENCE_MS }, () => {
  let guests: GuestStage;

  beforeAll(async () => {
    guests = await GuestStage.start();
  }, 4 * PATIENCE_MS);
  afterEach(() => guests.endTest());
  afterAll(() => guests?.close());

  describe('the whole flow', () => {
    it('by touch on a phone, with nothing left in the browser', async () => {
      const { token, tokenId, ticketId } = await guests.harness.token();
      const tab = await guests.open(token, phone);
      const { page } = tab;
      const tap = (name: string) => page.getByRole('button', { name }).tap();
      await tab.shows('consent');
      for (const box of ['explicitBiometricConsent', 'writtenRelease']) await page.locator(`[name="${box}"]`).tap();
      await tap('I agree, continue');
      await tab.says('Look straight into the camera');
      expect(await tab.camera('lit')).toEqual(['front']);
      await tab.photograph();
      expect(await tab.camera('lit')).toEqual([]);
      await tap('Retake');
      await tab.photograph();
      await tap('Send photo');
      await tab.shows('done');
      await tab.says(/deleted on \d+ \w+ \d{4} at the latest/);
      expect(await guests.harness.tokenState(tokenId)).toMatchObject({ state: 'used' });
      expect(await guests.harness.enrolled()).toContain(ticketId);
      // The page goes back to its first entry, which takes the browser a while.
      await expect.poll(() => tab.left()).toEqual(nothing);
    });

    it('by keyboard only', async () => {
      const { token, ticketId } = await guests.harness.token();
      const { page, ...tab } = await guests.open(token);
      await screenOf(page, 'consent').waitFor();
      /** Presses Tab until a control has the focus. */
      async function reach(name: string): Promise<void> {
        for (let i = 0; i < 40; i += 1) {
          const focused = page.locator(':focus');
          if ((await focused.count()) === 1) {
            const label = await focused.evaluate((element) =>
              element instanceof HTMLInputElement ? (element.labels?.[0]?.textContent ?? '') : element.textContent,
            );
            if (label?.includes(name)) return;
          }
          await page.keyboard.press('Tab');
        }
        throw new Error(`${name} cannot be reached by Tab`);
      }
      const press = async (name: string, key = 'Enter') => {
        // A press in a step's first half second is ignored.
        await page.locator('#app:not([data-fresh])').waitFor();
        await reach(name);
        await page.keyboard.press(key);
      };
      /** A new step moves the focus to its heading: keys pressed earlier are lost. */
      const steppedTo = async (step: Parameters<typeof screenOf>[1]) => {
        await screenOf(page, step).waitFor();
        await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe('H1');
      };
      // If submitted too early, the focus moves to the missing box.
      await press('I agree, continue');
      await press('I explicitly consent', 'Space');
      await press('I confirm in writing', 'Space');
      await press('I agree, continue');
      await steppedTo('camera');
      const chooser = page.waitForEvent('filechooser');
      await press('Choose a photo instead');
      await (await chooser).setFiles(await noisePhoto());
      await steppedTo('check');
      await press('Retake');
      await steppedTo('camera');
      await page.getByRole('button', { name: 'Take photo', disabled: false }).waitFor();
      await press('Take photo');
      await steppedTo('check');
      await press('Send photo');
      await screenOf(page, 'done').waitFor();
      expect(await guests.harness.enrolled()).toContain(ticketId);
      expect(tab.complaints).toEqual([]);
    });

    it('with a guardian, whose box appears only when needed', async () => {
      const tab = await guests.atConsent();
      const box = (name: string) => tab.page.locator(`[name="${name}"]`);
      await tab.shows('consent');
      const ticked = tab.page.locator('input[type="checkbox"]:checked');
      expect([await ticked.count(), await box('guardianConsent').count()]).toEqual([0, 0]);
      await box('explicitBiometricConsent').check();
      await box('writtenRelease').check();
      await box('under16').check();
      await tab.press('I agree, continue');
      await tab.says('A parent or guardian has to tick this box.');
      expect(await box('guardianConsent').evaluate((element) => element === document.activeElement)).toBe(true);
      await box('guardianConsent').check();
      await tab.press('I agree, continue');
      await tab.shows('camera');
    });

    it('in another language, whose text needs a new consent', async () => {
      const tab = await guests.atConsent({ locale: 'fr-CH' });
      const spoken = () => tab.page.evaluate(() => document.documentElement.lang);
      await expect.poll(spoken).toBe('fr');
      await tab.page.locator('[name="writtenRelease"]').check();
      await tab.page.locator('.language select').selectOption('de');
      await tab.page.getByRole('button', { name: 'Ich willige ein, weiter' }).waitFor();
      expect(await tab.page.locator('input:checked').count()).toBe(0);
      await expect.poll(spoken).toBe('de');
    });

    it('after a reload, because the link keeps its token, with the guest’s own ticks in the same language', async () => {
      const tab = await guests.atConsent();
      await tab.page.reload();
      await tab.shows('consent');
      const ticked = () =>
        tab.page.locator('input:checked').evaluateAll((all) => all.map((box) => (box as HTMLInputElement).name));
      expect(await ticked()).toEqual([]);
      await agree(tab.page);
      await tab.page.reload();
      await tab.shows('consent');
      expect(await ticked()).toEqual(['explicitBiometricConsent', 'writtenRelease']);
      await tab.page.locator('.language select').selectOption('de');
      await tab.page.getByRole('button', { name: 'Ich willige ein, weiter' }).waitFor();
      expect(await ticked()).toEqual([]);
      // After the reload at the camera the page went back to the consent's entry.
      await expect.poll(() => tab.page.evaluate(() => (history.state as { svc: string }).svc)).toBe('consent');
      await tab.page.reload();
      await tab.shows('consent');
      expect(await ticked()).toEqual([]);
    });
  });

  describe('declining', () => {
    const refused = async (tab: GuestTab) => {
      guests.photosAre('no-face');
      await agree(tab.page);
      await choosePhoto(tab.page, await noisePhoto());
      await sendPhoto(tab.page);
      await tab.shows('refused');
    };
    const ways: readonly [string, (tab: GuestTab) => Promise<void>][] = [
      ['camera', (tab) => agree(tab.page)],
      ['refused photo', refused],
      ['consent', (tab) => tab.shows('consent')],
      [
        'check',
        async (tab) => {
          await agree(tab.page);
          await choosePhoto(tab.page, await noisePhoto());
        },
      ],
    ];
    it.each(firstOf(ways, 2))('is one press at the step: %s', async (_name, go) => {
      const { token, tokenId, ticketId } = await guests.harness.token();
      const tab = await guests.open(token);
      await go(tab);
      await decline(tab.page);
      await tab.shows('declined');
      expect(await guests.harness.tokenState(tokenId)).toMatchObject({ state: 'declined' });
      expect(await guests.harness.enrolled()).not.toContain(ticketId);
      expect(await tab.camera('lit')).toEqual([]);
    });

    it('looks like agreeing, and is as large', async () => {
      const tab = await guests.atConsent(phone);
      const [yes, no] = await tab.page.locator('.choices > button').evaluateAll((buttons) =>
        buttons.map((button) => {
          const { width, height } = button.getBoundingClientRect();
          const { color, backgroundColor, borderColor, fontSize, fontWeight } = getComputedStyle(button);
          return { width, height, color, backgroundColor, borderColor, fontSize, fontWeight };
        }),
      );
      expect(no).toEqual(yes);
    });
  });

  describe('photos that cannot be used', () => {
    it('are explained, each with advice, and counted down to the last', async () => {
      const outcomes = ['no-face', 'several-faces', 'face-too-small', 'too-dark', 'broken'] as const;
      const said = ['No face was found', 'There was more than one face', 'Your face was too small', 'It was too dark'];
      guests.photosAre(...outcomes);
      const { token, tokenId } = await guests.harness.token();
      const tab = await guests.open(token);
      await agree(tab.page);
      // Nobody is told of attempts before one was used.
      expect(await tab.page.getByText('attempts left').count()).toBe(0);
      for (const [i, text] of said.entries()) {
        await choosePhoto(tab.page, await noisePhoto());
        await sendPhoto(tab.page);
        await tab.shows('refused');
        await tab.says(text);
        await tab.says(i === 3 ? '1 attempt left' : `${4 - i} attempts left`);
        expect(await tab.camera('lit')).toEqual([]);
      }
      await tab.press('Take another photo');
      await tab.photograph();
      await sendPhoto(tab.page);
      await tab.shows('ended');
      await tab.says('No attempts left');
      expect(await guests.harness.tokenState(tokenId)).toMatchObject({ state: 'exhausted', attemptsLeft: 0 });
    });
  });

  describe('a missing camera', () => {
    const problems = [
      ['NotAllowedError', 'The camera is blocked'],
      ['NotFoundError', 'No camera found'],
      ['NotReadableError', 'The camera is in use'],
    ] as const;
    it.each(firstOf(problems, 1))(
      '%s: is explained, can be tried again, and a photo can be chosen',
      async (fails, text) => {
        const tab = await guests.atConsent({ camera: { fails } });
        await agree(tab.page);
        await tab.says(text);
        expect(await axeViolations(tab.page)).toEqual([]);
        await tab.camera('fail', null);
        await tab.press('Start the camera');
        await tab.photograph();
        await tab.press('Retake');
        await choosePhoto(tab.page, await noisePhoto());
        await sendPhoto(tab.page);
        await tab.shows('done');
      },
    );

    it.skipIf(!runsAll)('is changed for the one at a phone’s back, which is no mirror', async () => {
      const devices = [
        { deviceId: 'front', facing: 'user' },
        { deviceId: 'back', facing: 'environment' },
      ] as const;
      const tab = await guests.atConsent({ ...phone, camera: { devices } });
      await agree(tab.page);
      await tab.page.locator('.stage[data-mirrored="true"]').waitFor();
      await tab.press('Switch camera');
      await tab.page.locator('.stage[data-mirrored="false"]').waitFor();
      expect(await tab.camera('lit')).toEqual(['back']);
      await tab.photograph();
      expect(await tab.page.locator('canvas').getAttribute('data-mirrored')).toBe('false');
    });

    it('is unplugged during the step', async () => {
      const tab = await guests.atConsent();
      await agree(tab.page);
      await tab.page.getByRole('button', { name: 'Take photo', disabled: false }).waitFor();
      await tab.camera('unplug');
      await tab.says('No camera found');
      await choosePhoto(tab.page, await noisePhoto());
    });

    it('a file that is not a picture, and another one', async () => {
      const tab = await guests.atConsent();
      await agree(tab.page);
      const choose = (buffer: Buffer) =>
        tab.page.locator('input[type="file"]').setInputFiles({ name: 'selfie.jpg', mimeType: 'image/jpeg', buffer });
      await choose(Buffer.from('not a picture'));
      await tab.says('That file is not a picture');
      await choose(Buffer.from('not a picture'));
      await tab.says('That file is not a picture');
      await choosePhoto(tab.page, await noisePhoto());
    });
  });

  it('asks for the session and the texts while its scripts are on their way, and for each once', async () => {
    const { token } = await guests.harness.token();
    const tab = await guests.open(token, { locale: 'de-DE' });
    await tab.shows('consent');
    const [session, texts] = [/\/v1\/widget\/session/, /\/assets\/de-[\w-]+\.js$/];
    const asked: string[] = [];
    tab.page.on('request', (request) => asked.push(request.url()));
    const early = Promise.all([session, texts].map((address) => tab.page.waitForRequest(address)));
    await tab.page.route(/\/assets\/index-[\w-]+\.js$/, async (route) => {
      await early;
      await route.continue();
    });
    await tab.page.reload();
    await tab.shows('consent');
    for (const address of [session, texts]) expect(asked.filter((url) => address.test(url))).toHaveLength(1);
  });

  it('has a name for everything that can be pressed, read or looked at', async () => {
    const tab = await guests.atConsent();
    const { page } = tab;
    const named = (role: Parameters<typeof page.getByRole>[0], name: string | RegExp) =>
      page.getByRole(role, { name, exact: typeof name === 'string' }).waitFor();
    await named('navigation', 'Steps');
    await named('combobox', 'Language');
    await named('heading', 'Face check-in: your choice');
    await named('heading', 'Your decision');
    await named('checkbox', /^I explicitly consent to Riverside Hall/);
    await named('link', /^Privacy notice of Riverside Hall/);
    await agree(page);
    await named('button', 'Take photo');
    await named('button', 'Choose a photo instead');
    expect(await page.locator('video').getAttribute('aria-label')).toBe('Camera preview');
    expect(await page.locator('[aria-current="step"]').textContent()).toContain('Photo');
    await tab.photograph();
    await named('img', 'The photo you are about to send');
    await named('button', 'Send photo');
    await sendPhoto(page);
    await named('heading', 'You are enrolled');
    await named('heading', 'If you change your mind');
  });

  it('accepts only camera photos if the list requires it', async () => {
    const { customer } = guests.harness;
    const { eventId } = await createStage(customer, createManualClock(), 72, { photoSource: 'camera' });
    const tab = await guests.open((await createToken(customer, eventId)).token);
    await agree(tab.page);
    await tab.page.getByRole('button', { name: 'Take photo' }).waitFor();
    expect(await tab.page.getByRole('button', { name: 'Choose a photo instead' }).count()).toBe(0);
    await tab.photograph();
    await sendPhoto(tab.page);
    await tab.shows('done');
  });

  it('continues on a phone, by a code with the same link', async () => {
    prepareZXingModule({ overrides: { wasmBinary: Uint8Array.from(readFileSync(wasm)).buffer } });
    const tab = await guests.atConsent();
    expect(await tab.page.locator('.phone-code').count()).toBe(0);
    await tab.press('Continue on your phone');
    const code = tab.page.getByRole('img', { name: 'QR code with your personal link' });
    const [read] = await readBarcodes(Uint8Array.from(await code.screenshot()), { formats: ['QRCode'] });
    expect(read?.text).toBe(tab.page.url());
    await tab.press('Hide the code');
    await code.waitFor({ state: 'detached' });
  });

  it('reports to the page around it: ready, enrolled, declined, error', async () => {
    const context = await newContext(guests.browser);
    const enrolling = await EmbeddedPage.open(context, guests.harness);
    await enrolByFile(enrolling.frame());
    await enrolling.isTold('ready', 'enrolled');
    const declining = await EmbeddedPage.open(context, guests.harness);
    await declining.shows('consent');
    await decline(declining.frame());
    await declining.isTold('ready', 'declined');
    guests.photosAre('covered');
    const exhausting = await EmbeddedPage.open(context, guests.harness);
    await agree(exhausting.frame());
    for (let i = 0; i < 5; i += 1) {
      await choosePhoto(exhausting.frame(), await noisePhoto());
      await sendPhoto(exhausting.frame());
      await exhausting.shows(i < 4 ? 'refused' : 'ended');
    }
    await exhausting.isTold('ready', 'error');
    expect((await exhausting.told()).at(-1)?.message).toBe('The enrolment token has no attempts left');
    await context.close();
  });
});
