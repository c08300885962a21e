import { expect } from '@playwright/test';
import { guests } from '../demo/scenarios.ts';
import type { KioskPage, ShownResult } from './kiosk-page.ts';
import type { Filmed, Films } from './virtual-camera.ts';

/** A visitor comes to the door and the ticket is scanned. @returns the result screen's text; the screen stays */
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

/** Checks every result screen: the outcome's advice, no trace of the ticket, and no picture of the person. */
export function expectResult(
  shown: ShownResult,
  { scannedId, mustBe }: Pick<KioskScenario, 'scannedId' | 'mustBe'>,
): void {
  expect(mustBe).toContain(shown.outcome);
  expect(shown.advice).toBe(advice[shown.outcome] ?? 'call-staff');
  expect(shown.text).not.toContain(scannedId);
  // The picture of the person is gone; the camera may look for the next ticket, unseen.
  expect(shown.pictures).toBe(0);
}

/** A visitor, the scanned ticket, and the expected result. */
export interface KioskScenario {
  readonly what: string;
  readonly scannedId: string;
  readonly filmed: Filmed;
  /** More than one if two protections catch the same attack and either may come first. */
  readonly mustBe: readonly string[];
  /**
   * Expected result on a device without the passive check; null if only that check can stop the attack. Default: no
   * difference.
   */
  readonly withoutPassive?: readonly string[] | null;
}

export const rightPerson: KioskScenario = {
  what: 'the right person, turning as asked',
  scannedId: 'ticket-of-anna',
  filmed: { seed: guests.anna },
  mustBe: ['Match'],
};

/** Ends as soon as the head turns the wrong way. */
export const wrongWay: KioskScenario = {
  what: 'the right person, turning the other way',
  scannedId: 'ticket-of-anna',
  filmed: { seed: guests.anna, turns: 'wrong-way' },
  mustBe: ['ChallengeFailed'],
};

export const kioskScenarios: readonly KioskScenario[] = [
  rightPerson,
  wrongWay,
  {
    what: 'another enrolled person, turning as asked',
    scannedId: 'ticket-of-ben',
    filmed: { seed: guests.ben },
    mustBe: ['Match'],
  },
  {
    what: 'the right person, not turning',
    scannedId: 'ticket-of-anna',
    filmed: { seed: guests.anna, turns: 'not-at-all' },
    mustBe: ['ChallengeFailed'],
  },
  {
    what: 'a print of the right person, turned by hand',
    scannedId: 'ticket-of-anna',
    filmed: { seed: guests.anna, kind: 'print' },
    mustBe: ['LivenessFailed', 'ChallengeFailed'],
    withoutPassive: ['ChallengeFailed'],
  },
  {
    what: 'a photo of the right person on a screen, turned by hand',
    scannedId: 'ticket-of-anna',
    filmed: { seed: guests.anna, kind: 'screen' },
    mustBe: ['LivenessFailed', 'ChallengeFailed'],
    withoutPassive: ['ChallengeFailed'],
  },
  {
    what: 'a recording of the right person that makes the turn',
    scannedId: 'ticket-of-anna',
    filmed: { seed: guests.anna, kind: 'replay' },
    mustBe: ['LivenessFailed'],
    withoutPassive: null,
  },
  {
    what: "somebody with another person's ticket",
    scannedId: 'ticket-of-anna',
    filmed: { seed: guests.chloe, turns: 'not-at-all' },
    mustBe: ['NoMatch'],
  },
  {
    what: 'an empty chair',
    scannedId: 'ticket-of-anna',
    filmed: { seed: guests.anna, kind: 'nobody' },
    mustBe: ['NoFace'],
  },
  {
    what: 'two people at once',
    scannedId: 'ticket-of-anna',
    filmed: { seed: guests.anna, beside: guests.ben },
    mustBe: ['NoMatch'],
  },
  {
    what: 'a ticket whose holder was never enrolled',
    scannedId: 'ticket-of-nobody',
    filmed: { seed: guests.anna },
    mustBe: ['NotEnrolled'],
  },
];
