import { renderedCamera } from '@svc/benchmarks/inputs/rendered-camera';
import type { Camera, VerificationOutcome } from '@svc/device-sdk';
import { identitySeed } from '@svc/synthetic-faces';

/** An attempt at the door with its expected result. */
export interface Scenario {
  readonly what: string;
  readonly scannedId: string;
  readonly camera: () => Camera;
  /** More than one if two protections catch the same attack and either may come first. */
  readonly mustBe: readonly VerificationOutcome[];
}

/** Identities of the rendered guests; `stranger` is never enrolled. */
export const guests = {
  anna: identitySeed(9),
  ben: identitySeed(1),
  chloe: identitySeed(2),
  stranger: identitySeed(3),
};

/** A replayed video turns its head like a person: only the passive check detects it. */
export const replayScenario: Scenario = {
  what: 'a replay of the right person on a screen',
  scannedId: 'anna',
  camera: () => renderedCamera({ kind: 'screen', seed: guests.anna }),
  mustBe: ['LivenessFailed'],
};

export const renderedScenarios: readonly Scenario[] = [
  {
    what: 'the right person, turning as asked',
    scannedId: 'anna',
    camera: () => renderedCamera({ seed: guests.anna }),
    mustBe: ['Match'],
  },
  {
    what: 'another right person',
    scannedId: 'ben',
    camera: () => renderedCamera({ seed: guests.ben }),
    mustBe: ['Match'],
  },
  {
    what: "an enrolled person with somebody else's ticket",
    scannedId: 'anna',
    camera: () => renderedCamera({ seed: guests.chloe }),
    mustBe: ['NoMatch'],
  },
  {
    what: 'a stranger with a ticket',
    scannedId: 'ben',
    camera: () => renderedCamera({ seed: guests.stranger }),
    mustBe: ['NoMatch'],
  },
  {
    what: 'an ID that nobody enrolled',
    scannedId: 'nobody-of-this-name',
    camera: () => renderedCamera({ seed: guests.anna }),
    mustBe: ['NotEnrolled'],
  },
  {
    what: 'the right person turning the wrong way',
    scannedId: 'anna',
    camera: () => renderedCamera({ seed: guests.anna, turns: 'wrong-way' }),
    mustBe: ['ChallengeFailed'],
  },
  {
    what: 'the right person not turning',
    scannedId: 'anna',
    camera: () => renderedCamera({ seed: guests.anna, turns: 'not-at-all' }),
    mustBe: ['ChallengeFailed'],
  },
  {
    what: 'a print of the right person, turned by hand',
    scannedId: 'anna',
    camera: () => renderedCamera({ kind: 'print', seed: guests.anna }),
    mustBe: ['LivenessFailed', 'ChallengeFailed'],
  },
  {
    what: 'the right person with a second person beside them',
    scannedId: 'anna',
    camera: () => renderedCamera({ seed: guests.anna, companion: { seed: guests.chloe, fromMs: 0 } }),
    mustBe: ['NoMatch'],
  },
  {
    what: 'an empty chair',
    scannedId: 'anna',
    camera: () => renderedCamera({ kind: 'nobody', seed: guests.anna }),
    mustBe: ['NoFace'],
  },
];
