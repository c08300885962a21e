import { guests } from '../demo/scenarios.ts';
import type { Visitor } from '../support/rendered-camera.ts';

/** Somebody before the kiosk's camera, the ticket that is scanned, and what must come of it. */
export interface KioskScenario {
  readonly what: string;
  readonly scannedId: string;
  readonly visitor: Visitor;
  readonly outcome: string;
  readonly advice: 'let-in' | 'standard-check-in' | 'call-staff';
  /** Takes the whole window and shows nothing that another row does not: only in the long run. */
  readonly isLong?: true;
}

export const kioskScenarios: readonly KioskScenario[] = [
  {
    what: 'the right person, turning as asked',
    scannedId: 'ticket-of-anna',
    visitor: { seed: guests.anna },
    outcome: 'Match',
    advice: 'let-in',
  },
  {
    what: "somebody with another person's ticket",
    scannedId: 'ticket-of-anna',
    visitor: { seed: guests.chloe, turns: 'not-at-all' },
    outcome: 'NoMatch',
    advice: 'call-staff',
  },
  {
    what: 'an empty chair',
    scannedId: 'ticket-of-anna',
    visitor: { seed: guests.anna, kind: 'nobody' },
    outcome: 'NoFace',
    advice: 'call-staff',
  },
  {
    what: 'two people at once',
    scannedId: 'ticket-of-anna',
    visitor: { seed: guests.anna, companion: { seed: guests.ben, fromMs: 0 } },
    outcome: 'NoMatch',
    advice: 'call-staff',
    isLong: true,
  },
  {
    what: 'the right person, turning the other way',
    scannedId: 'ticket-of-anna',
    visitor: { seed: guests.anna, turns: 'wrong-way' },
    outcome: 'ChallengeFailed',
    advice: 'call-staff',
  },
  {
    what: 'a ticket whose holder was never enrolled',
    scannedId: 'ticket-of-nobody',
    visitor: { seed: guests.anna },
    outcome: 'NotEnrolled',
    advice: 'standard-check-in',
  },
  {
    what: 'the right person, not turning',
    scannedId: 'ticket-of-anna',
    visitor: { seed: guests.anna, turns: 'not-at-all' },
    outcome: 'ChallengeFailed',
    advice: 'call-staff',
    isLong: true,
  },
  {
    what: 'another enrolled person, turning as asked',
    scannedId: 'ticket-of-ben',
    visitor: { seed: guests.ben },
    outcome: 'Match',
    advice: 'let-in',
    isLong: true,
  },
];
