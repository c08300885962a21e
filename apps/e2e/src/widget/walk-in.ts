import type { Page } from '@playwright/test';
import { type HeadOptions, identitySeed, renderHead } from '@svc/synthetic-faces';
import { encodeJpeg } from '@svc/synthetic-faces/node';
import { callGlobal, screenOf } from './guest.ts';

/** In px. */
type Size = readonly [width: number, height: number];

/** A rendered guest who comes before the camera, from a bad place into a good one. */
export interface WalkIn {
  /** The camera's picture: upright as of a phone, or across as of a computer. */
  readonly size: Size;
  readonly seed: number;
  /** JPEGs in base64, in order; the guest stays at the last one. */
  readonly scenes: readonly string[];
}

const upright: Size = [480, 640];
const across: Size = [640, 480];

/** Where guests begin. */
const beginnings: readonly Partial<HeadOptions>[] = [
  { distance: 2.3, centreX: 0.4 },
  { distance: 1.4, yawDeg: 26 },
  { distance: 1.5, centreX: 0.82 },
  { distance: 0.55 },
  { distance: 1.3, light: { intensity: 0.12, ambient: 0.15 } },
];

/** In what light, at what distance and in what pose guests stay. */
const endings: readonly Partial<HeadOptions>[] = [
  { distance: 1.25 },
  { distance: 1.4, yawDeg: 6, centreX: 0.46, light: { azimuthDeg: 55 } },
  { distance: 1, pitchDeg: -8, centreY: 0.52 },
  { distance: 1.4, rollDeg: 7, light: { azimuthDeg: -35, intensity: 0.7 } },
  { distance: 1.2, pitchDeg: -12, yawDeg: -5, light: { elevationDeg: 70 } },
  { distance: 1.3, centreX: 0.55, light: { ambient: 0.6, intensity: 1.2 } },
  { distance: 1.7, light: { intensity: 0.5 } },
];

/** One of many guests, another one for each number: no two of beginning, light and pose repeat together soon. */
export async function walkIn(number: number): Promise<WalkIn> {
  const size = number % 2 === 0 ? upright : across;
  const [width, height] = size;
  const [first = {}, last = {}] = [beginnings[number % beginnings.length], endings[number % endings.length]];
  const turn = { ...last, yawDeg: (last.yawDeg ?? 0) + 18 };
  const seed = identitySeed(number);
  const scenes: string[] = [];
  for (const stance of [first, turn, last]) {
    const head = { seed, noiseSeed: number, ...stance };
    // Distances are relative to the width: upright pictures are narrower.
    const distance = (stance.distance ?? 1) * (size === upright ? 0.8 : 1);
    scenes.push(Buffer.from(await encodeJpeg(renderHead({ width, height, ...head, distance }), 92)).toString('base64'));
  }
  return { size, seed, scenes };
}

/** How long a guest stays at a place before the next. */
const STAY_MS = 700;
/** The engine starts within this time, on any machine. */
const STARTS_MS = 120_000;
/** Of people, on a machine that has nothing else to do. */
const PATIENT_MS = 8_000;
/** A guest takes one more photo if the page advises it, and then sends what there is. */
const MAX_RETAKES = 2;

/** What happened to a guest. */
export interface WalkInResult {
  /** Presses from the opened link to the end. */
  readonly taps: number;
  /** From opening the link to the answer to the first photo. */
  readonly seconds: number;
  readonly isAutomatic: boolean;
  readonly retakes: number;
  /** `done`, or the title of the refusal. */
  readonly outcome: string;
}

/**
 * Plays a guest through the real page up to the service's answer to the first photo that is sent.
 * @param page with the fake camera installed
 * @param patientMs a guest whose photo is not taken by then takes it by hand, as people do
 */
export async function playWalkIn(
  page: Page,
  link: string,
  { scenes }: WalkIn,
  patientMs = PATIENT_MS,
): Promise<WalkInResult> {
  let taps = 0;
  const tap = async (name: string | RegExp) => {
    taps += 1;
    await page.getByRole('button', { name, disabled: false }).click();
  };
  const show = (scene = '') => callGlobal(page, 'fakeCamera', 'show', [scene]);
  const startedMs = performance.now();
  await page.goto(link);
  await show(scenes[0]);
  for (const box of ['explicitBiometricConsent', 'writtenRelease']) {
    taps += 1;
    await page.locator(`[name="${box}"]`).check();
  }
  await tap('I agree, continue');
  await page.locator('video').waitFor();
  // On a busy machine the engine starts slowly. The guest waits if the page says so.
  await page.waitForFunction(
    () => {
      const isReading = (document.querySelector('video')?.readyState ?? 0) >= 2;
      return isReading && document.querySelector('[data-stage="opening"], [data-stage="loading"]') === null;
    },
    undefined,
    { timeout: STARTS_MS },
  );
  for (const scene of scenes.slice(1)) {
    await page.waitForTimeout(STAY_MS);
    await show(scene);
  }
  const check = screenOf(page, 'check');
  const isAutomatic = await check.waitFor({ timeout: patientMs }).then(
    () => true,
    () => false,
  );
  if (!isAutomatic) await tap('Take photo');
  let retakes = 0;
  for (;;) {
    await check.waitFor();
    // The page's opinion, if it has one, which comes before the guest has looked at the photo.
    if ((await check.locator('.review').count()) === 0) break;
    await check.locator('.review-good, .review .svc-notice').waitFor();
    if ((await check.locator('.review-good').count()) === 1 || retakes === MAX_RETAKES) break;
    retakes += 1;
    await tap('Retake');
    await page
      .locator('.stage[data-stage="holding"]')
      .waitFor({ timeout: patientMs })
      .catch(() => undefined);
    await tap('Take photo');
  }
  await tap(/^Send/);
  await page.locator('[data-screen="done"], [data-screen="refused"]').waitFor();
  const isDone = (await screenOf(page, 'done').count()) === 1;
  const seconds = (performance.now() - startedMs) / 1_000;
  const outcome = isDone ? 'done' : ((await page.getByRole('heading').first().textContent()) ?? '');
  return { taps, seconds, isAutomatic, retakes, outcome };
}
