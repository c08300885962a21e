import { chromiumPath, launchChromium } from '@svc/benchmarks/inputs/browser';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { installFakeCamera } from './fake-camera.ts';
import { runsAll } from './guest.ts';
import { startWidgetHarness, type WidgetHarness } from './harness.ts';
import { playWalkIn, walkIn } from './walk-in.ts';

const WHOLE_MS = 300_000;
/** On a busy machine the page looks seldom at the guest, who must not press meanwhile. */
const PATIENT_MS = 120_000;
const guests = Array.from({ length: runsAll ? 12 : 2 }, (_, number) => number);

/** Many more: `npm run measure:guests`. */
describe.skipIf(chromiumPath === undefined)('guests who walk in before the camera', { timeout: WHOLE_MS }, () => {
  let harness: WidgetHarness;
  let browser: Browser;
  beforeAll(async () => {
    harness = await startWidgetHarness({ inference: 'models' });
    browser = await launchChromium();
  }, WHOLE_MS);
  afterAll(async () => {
    await browser?.close();
    await harness?.close();
  });

  it.each(guests)('number %i is guided to a photo that is accepted at the first attempt', async (number) => {
    const guest = await walkIn(number);
    const { token } = await harness.token();
    const context = await browser.newContext({ locale: 'en-GB', viewport: { width: 390, height: 844 } });
    await context.addInitScript(installFakeCamera, { size: guest.size });
    const result = await playWalkIn(await context.newPage(), harness.guestLink(token), guest, PATIENT_MS);
    // Two boxes, «continue» and «send».
    expect(result).toMatchObject({ outcome: 'done', isAutomatic: true, retakes: 0, taps: 4 });
    await context.close();
  });
});
