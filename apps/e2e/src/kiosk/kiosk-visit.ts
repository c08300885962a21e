import { expect } from 'vitest';
import type { Films } from './film.ts';
import type { KioskPage, ShownResult } from './kiosk-page.ts';
import type { KioskScenario } from './scenarios.ts';

/** Somebody comes to the door and has the ticket scanned. @returns what the screen says, and leaves it there */
export async function visit(
  kiosk: KioskPage,
  films: Films,
  { filmed, scannedId }: KioskScenario,
): Promise<ShownResult> {
  const film = await films.of(filmed);
  await kiosk.screen('scan');
  await kiosk.show(film);
  await kiosk.scan(scannedId);
  return kiosk.result();
}

const advice: Readonly<Record<string, string>> = { Match: 'let-in', NotEnrolled: 'standard-check-in' };

/** What every result screen owes: the outcome's own advice, nothing of the ticket, and nothing left of the person. */
export async function expectResult(
  kiosk: KioskPage,
  shown: ShownResult,
  { scannedId, mustBe }: Pick<KioskScenario, 'scannedId' | 'mustBe'>,
): Promise<void> {
  expect(mustBe).toContain(shown.outcome);
  expect(shown.advice).toBe(advice[shown.outcome] ?? 'call-staff');
  expect(shown.text).not.toContain(scannedId);
  // The camera is off and its picture gone.
  expect(await kiosk.page.locator('video').count()).toBe(0);
}
