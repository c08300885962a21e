import { renderedCamera } from '@svc/benchmarks/inputs/rendered-camera';
import type { Camera, VerificationOutcome } from '@svc/device-sdk';
import { type Guest, guests } from './guests.ts';
import type { Filmed } from './page-camera.ts';

/** A visitor at the door, the scanned ticket, and the expected result. */
export interface Scenario {
  readonly what: string;
  readonly scannedId: string;
  readonly visitor: Filmed;
  /** More than one if two protections catch the same attack and either may come first. */
  readonly mustBe: readonly VerificationOutcome[];
  /** On a device without the passive check; null if only that check can stop the attack. Default: no difference. */
  readonly withoutPassive?: readonly VerificationOutcome[] | null;
}

const anna = { scannedId: 'ticket-of-anna', visitor: { seed: guests.anna } };

export const rightPerson: Scenario = { what: 'the right person, turning as asked', ...anna, mustBe: ['Match'] };

const scenarios: readonly Scenario[] = [
  rightPerson,
  {
    what: 'the right person, turning the other way',
    ...{ ...anna, visitor: { seed: guests.anna, turns: 'wrong-way' } },
    mustBe: ['ChallengeFailed'],
  },
  {
    what: 'another enrolled person, turning as asked',
    ...{ scannedId: 'ticket-of-ben', visitor: { seed: guests.ben } },
    mustBe: ['Match'],
  },
  {
    what: 'the right person, not turning',
    ...{ ...anna, visitor: { seed: guests.anna, turns: 'not-at-all' } },
    mustBe: ['ChallengeFailed'],
  },
  {
    what: 'a print of the right person, turned by hand',
    ...{ ...anna, visitor: { seed: guests.anna, kind: 'print' } },
    mustBe: ['LivenessFailed', 'ChallengeFailed'],
    withoutPassive: ['ChallengeFailed'],
  },
  {
    what: 'a photo of the right person on a screen, turned by hand',
    ...{ ...anna, visitor: { seed: guests.anna, kind: 'screen' } },
    mustBe: ['LivenessFailed', 'ChallengeFailed'],
    withoutPassive: ['ChallengeFailed'],
  },
  {
    what: 'a recording of the right person that makes the turn',
    ...{ ...anna, visitor: { seed: guests.anna, kind: 'replay' } },
    mustBe: ['LivenessFailed'],
    withoutPassive: null,
  },
  {
    what: "somebody with another person's ticket",
    ...{ ...anna, visitor: { seed: guests.chloe, turns: 'not-at-all' } },
    mustBe: ['NoMatch'],
  },
  {
    what: 'an empty chair',
    ...{ ...anna, visitor: { seed: guests.anna, kind: 'nobody' } },
    mustBe: ['NoFace'],
  },
  {
    what: 'two people at once',
    ...{ ...anna, visitor: { seed: guests.anna, beside: guests.ben } },
    mustBe: ['NoMatch'],
  },
  {
    what: 'a ticket whose holder was never enrolled',
    ...{ scannedId: 'ticket-of-nobody', visitor: { seed: guests.anna } },
    mustBe: ['NotEnrolled'],
  },
];

/** What must happen on a device with the passive check or without it. */
export const scenariosFor = (hasPassive: boolean): readonly Scenario[] =>
  scenarios.flatMap(({ withoutPassive, ...scenario }) => {
    if (hasPassive) return [scenario];
    return withoutPassive === null ? [] : [{ ...scenario, mustBe: withoutPassive ?? scenario.mustBe }];
  });

const kinds = { person: 'live', print: 'print', screen: 'print', replay: 'screen', nobody: 'nobody' } as const;

/** The visitor before a device in Node, whose frames are rendered as they are asked for. */
export const cameraOf = ({ seed, kind = 'person', turns, beside }: Filmed, fps = 10): Camera =>
  renderedCamera(
    { seed, kind: kinds[kind], ...(turns && { turns }), ...(beside !== undefined && { beside }) },
    { fps },
  );

/** A guest at four frames a second, far enough away never to be asked to step back: the same frames each time. */
export const steadyCamera = (guest: Guest): Camera =>
  renderedCamera({ seed: guests[guest], distance: 1.7 }, { fps: 4 });
