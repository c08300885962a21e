import { temporaryAddOn } from '@svc/benchmarks/inputs/engine';
import { expect, test } from '../support/browser-test.ts';
import { KioskPage } from './kiosk-page.ts';
import { startKioskService } from './kiosk-service.ts';
import { expectResult, type KioskScenario, kioskScenarios, visit } from './scenarios.ts';
import { Films } from './virtual-camera.ts';

const films = new Films();

const tables: readonly (readonly [name: string, says: string, rows: readonly KioskScenario[]])[] = [
  ['with the passive check', 'photo and screen check (minifasnet), head turn', kioskScenarios],
  [
    'with staff in view instead',
    'no photo and screen check, staff in view',
    kioskScenarios.flatMap(({ withoutPassive, ...scenario }) =>
      withoutPassive === null ? [] : [{ ...scenario, mustBe: withoutPassive ?? scenario.mustBe }],
    ),
  ],
];

for (const [name, says, rows] of tables) {
  test(`the kiosk ${name}, online and offline`, { tag: '@long' }, async ({ browser }) => {
    test.setTimeout(900_000);
    const addOn = name === 'with the passive check' ? await temporaryAddOn() : null;
    test.skip(addOn === null && name === 'with the passive check', 'no ../shared');
    const started = await startKioskService({ addOnDirectory: addOn?.directory ?? null });
    const context = await browser.newContext();
    const kiosk = await KioskPage.open(context, started.service.api.url);
    await kiosk.pair(started.deviceToken);
    await kiosk.isOfflineReady();
    expect(await kiosk.page.locator('.svc-facts').textContent()).toContain(says);
    await kiosk.press('Start check-in');
    await kiosk.screen('scan');
    const playAll = async (when: string) => {
      for (const scenario of rows) {
        await test.step(`${when}: ${scenario.what}`, async () => {
          const shown = await visit(kiosk, films, scenario);
          expectResult(shown, scenario);
          // After a match the screen returns to the next guest automatically.
          if (shown.advice !== 'let-in') await kiosk.page.keyboard.press('Enter');
          await kiosk.screen('scan');
        });
      }
    };
    await playAll('online');
    await started.service.api.running.close();
    await kiosk.page.reload();
    await kiosk.screen('scan');
    await kiosk.page.getByText(/^Offline\. Check-in goes on until \w/).waitFor({ timeout: 60_000 });
    await playAll('offline');
    expect(kiosk.complaints).toEqual([]);
    await context.close();
    await started.close();
    await addOn?.remove();
  });
}
