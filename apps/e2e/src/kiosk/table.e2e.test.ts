import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { chromiumPath, launchChromium } from '@svc/benchmarks/inputs/browser';
import { temporaryAddOn } from '@svc/benchmarks/inputs/engine';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { KioskPage } from './kiosk-page.ts';
import { type KioskService, startKioskService } from './kiosk-service.ts';
import { expectResult, type KioskScenario, kioskScenarios, visit } from './scenarios.ts';
import { Films } from './virtual-camera.ts';

const WHOLE_TABLE_MS = 900_000;
/** Folder for screenshots of every result. */
const picturesTo = process.env.SVC_TEST_KIOSK_PICTURES;

const addOn = await temporaryAddOn();
if (addOn === null) console.log('the kiosk with the passive check: skipped: no ../shared');
const films = new Films();

const rows = {
  'with the passive check': kioskScenarios,
  'with staff in view instead': kioskScenarios.flatMap(({ withoutPassive, ...scenario }) =>
    withoutPassive === null ? [] : [{ ...scenario, mustBe: withoutPassive ?? scenario.mustBe }],
  ),
} satisfies Readonly<Record<string, readonly KioskScenario[]>>;

afterAll(() => addOn?.remove());

describe.skipIf(chromiumPath === undefined).each([
  {
    name: 'with the passive check' as const,
    says: 'photo and screen check (minifasnet), head turn',
    addOnDirectory: addOn?.directory,
  },
  {
    name: 'with staff in view instead' as const,
    says: 'no photo and screen check, staff in view',
    addOnDirectory: null,
  },
])('the kiosk $name', { timeout: WHOLE_TABLE_MS }, ({ name, says, addOnDirectory }) => {
  let started: KioskService;
  let browser: Browser;
  let kiosk: KioskPage;
  const isPossible = addOnDirectory !== undefined;

  beforeAll(async () => {
    if (!isPossible) return;
    started = await startKioskService({ addOnDirectory });
    browser = await launchChromium();
    const context = await browser.newContext({ locale: 'en-GB', reducedMotion: 'reduce' });
    kiosk = await KioskPage.open(context, started.service.api.url);
    await kiosk.pair(started.deviceToken);
    await kiosk.isOfflineReady();
  }, WHOLE_TABLE_MS);

  afterAll(async () => {
    await browser?.close();
    await started?.close();
  }, WHOLE_TABLE_MS);

  async function picture(of: string): Promise<void> {
    if (picturesTo === undefined) return;
    const folder = join(picturesTo, name.replaceAll(' ', '-'));
    await mkdir(folder, { recursive: true });
    await kiosk.page.screenshot({ path: join(folder, `${of.replace(/[^a-z]+/gi, '-')}.png`) });
  }

  async function row(scenario: KioskScenario, when: string): Promise<void> {
    const shown = await visit(kiosk, films, scenario);
    await picture(`${when} ${scenario.what}`);
    console.log(`${name}, ${when}: ${scenario.what}: ${shown.outcome}`);
    expectResult(shown, scenario);
    // After a match the screen returns to the next guest automatically.
    if (shown.advice !== 'let-in') await kiosk.page.keyboard.press('Enter');
    await kiosk.screen('scan');
  }

  it.skipIf(!isPossible)('says which protections it has, and opens', async () => {
    expect(await kiosk.page.locator('.svc-facts').textContent()).toContain(says);
    await picture('readiness');
    await kiosk.press('Start check-in');
    await kiosk.screen('scan');
  });

  it.skipIf(!isPossible).each(rows[name])('$what', (scenario) => row(scenario, 'online'));

  it.skipIf(!isPossible)('goes on when the service is gone and the page is loaded anew', async () => {
    await started.service.api.running.close();
    await kiosk.page.reload();
    await kiosk.screen('scan');
    await kiosk.page.getByText(/^Offline\. Check-in goes on until \w/).waitFor({ timeout: 60_000 });
    await picture('offline');
  });

  it.skipIf(!isPossible).each(rows[name])('offline: $what', (scenario) => row(scenario, 'offline'));

  it.skipIf(!isPossible)('has asked nobody else and run nothing foreign', () => {
    expect(kiosk.complaints).toEqual([]);
  });
});
