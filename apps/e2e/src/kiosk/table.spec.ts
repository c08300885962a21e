import { temporaryAddOn } from '@svc/benchmarks/inputs/engine';
import { expect, test } from '../support/browser-test.ts';
import { Films } from '../support/page-camera.ts';
import { scenariosFor } from '../support/scenarios.ts';
import { expectResult, KioskPage } from './kiosk-page.ts';
import { startKioskService } from './kiosk-service.ts';

for (const [name, says] of [
  ['with the passive check', 'photo and screen check (minifasnet), head turn'],
  ['with staff in view instead', 'no photo and screen check, staff in view'],
] as const) {
  test(`the kiosk ${name}, offline: every visitor`, { tag: '@long' }, async ({ context }) => {
    test.setTimeout(900_000);
    const hasPassive = name === 'with the passive check';
    const addOn = hasPassive ? await temporaryAddOn() : null;
    test.skip(hasPassive && addOn === null, 'no ../shared');
    const started = await startKioskService({ addOnDirectory: addOn?.directory ?? null });
    const kiosk = await KioskPage.open(context, started.url);
    await kiosk.pair(await started.newToken());
    await kiosk.isOfflineReady();
    expect(await kiosk.page.locator('.svc-facts').textContent()).toContain(says);
    await started.api.running.close();
    await kiosk.press('Start check-in');
    const films = new Films();
    for (const scenario of scenariosFor(hasPassive)) {
      await test.step(scenario.what, async () => {
        const shown = await kiosk.visit(films, scenario);
        expectResult(shown, scenario);
        // After a match the screen returns to the next guest automatically.
        if (shown.advice !== 'let-in') await kiosk.page.keyboard.press('Enter');
        await kiosk.screen('scan');
      });
    }
    expect(kiosk.complaints).toEqual([]);
    await started.close();
    await addOn?.remove();
  });
}
