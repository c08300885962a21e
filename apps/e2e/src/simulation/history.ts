import { createSeededRandom, type SeededRandom } from '@svc/api/testing';
import { DAY_MS as DAY, HOUR_MS as HOUR, MINUTE_MS as MINUTE } from '@svc/protocol';
import type { CutInstant, CutKind } from './simulated-disk.ts';
import { type NetworkPlan, networkPlans, type Way } from './simulated-network.ts';

/** Faces that may be enrolled. */
export const PEOPLE = ['p0', 'p1', 'p2', 'p3', 'p4'] as const;
/** A face that is never enrolled. */
export const NOBODY = 'nobody';

/** Numbers wrap around. */
export function personOf(nth: number): string {
  return PEOPLE[nth % PEOPLE.length] ?? NOBODY;
}

/** Where a program ends. */
export interface Cut {
  /** Number of changing disk operations until then. */
  readonly at: number;
  readonly instant: CutInstant;
  readonly kind: CutKind;
  /** Where the next start, which finishes the work, ends too; null if it completes. */
  readonly again: Cut | null;
}

/** Steps of the service. Numbers name existing lists, people and accounts, and wrap around. */
export type ServiceStep =
  | { readonly do: 'enrol'; readonly list: number; readonly person: number; readonly face: number }
  | { readonly do: 'erase'; readonly list: number; readonly person: number }
  | { readonly do: 'close' | 'end' | 'delete-list'; readonly list: number }
  | { readonly do: 'create-list'; readonly account: number; readonly endsInMs: number | null }
  | { readonly do: 'move-end'; readonly list: number; readonly endsInMs: number }
  | { readonly do: 'suspend' | 'resume'; readonly account: number }
  | { readonly do: 'run-jobs' | 'restart-service' | 'upgrade-service' | 'rotate-kek' | 'back-up' }
  /** Null: the newest. */
  | { readonly do: 'restore'; readonly backup: number | null };

/** Steps of time, and of the set of devices. */
type WorldStep = { readonly do: 'wait'; readonly ms: number } | { readonly do: 'add-device'; readonly list: number };

/** Steps of a device. */
export type DeviceStep =
  | { readonly do: 'revoke'; readonly device: number }
  | { readonly do: 'sync'; readonly device: number; readonly network: NetworkPlan }
  | { readonly do: 'restart'; readonly device: number; readonly kind: CutKind; readonly cut: Cut | null }
  | { readonly do: 'switch-off'; readonly device: number; readonly kind: CutKind }
  | { readonly do: 'cut-sync' | 'cut-verify'; readonly device: number; readonly cut: Cut }
  | { readonly do: 'set-clock'; readonly device: number; readonly ms: number }
  | { readonly do: 'mend'; readonly device: number }
  | { readonly do: 'fill-disk'; readonly device: number }
  | { readonly do: 'fail-disk'; readonly device: number; readonly rate: number }
  | { readonly do: 'rot'; readonly device: number; readonly what: 'state' | 'pack' }
  /** Started as in an app, and stopped again. */
  | { readonly do: 'run'; readonly device: number; readonly ms: number; readonly network: NetworkPlan }
  | { readonly do: 'add-again'; readonly device: number; readonly list: number }
  | { readonly do: 'verify'; readonly device: number; readonly person: number }
  /** The request or the answer is slow, and another step happens meanwhile. */
  | { readonly do: 'slow-sync'; readonly device: number; readonly way: Way; readonly meanwhile: readonly Step[] }
  /** Another step happens during an attempt. */
  | {
      readonly do: 'slow-verify';
      readonly device: number;
      readonly person: number;
      readonly meanwhile: readonly Step[];
    }
  /** A node that serves an older backup as if it were current. */
  | { readonly do: 'stale-sync'; readonly device: number; readonly backup: number | null };

export type Step = ServiceStep | WorldStep | DeviceStep;

/** The steps of a seed, in order. */
export interface History {
  readonly seed: number;
  readonly steps: readonly Step[];
}

const WAITS = [MINUTE, 10 * MINUTE, 50 * MINUTE, 3 * HOUR, 11 * HOUR, 23 * HOUR, DAY + MINUTE, 2 * DAY] as const;
const LONG_WAITS = [5 * DAY, 16 * DAY, 31 * DAY] as const;
const RUNS = [MINUTE, 12 * MINUTE, HOUR] as const;
const SHIFTS = [-3 * DAY, -2 * HOUR, -3 * MINUTE, -MINUTE, MINUTE, 2 * HOUR, DAY, 40 * DAY] as const;
/** Few syncs, wipes or purges take more changing disk operations. */
const MOST_OPERATIONS = 27;
/** A start and a verification that only record the time take this many. */
const FEW_OPERATIONS = 3;

type Draw = (random: SeededRandom) => Step;

const any = (random: SeededRandom) => random.between(0, 999);
const drawCut = (random: SeededRandom, most = MOST_OPERATIONS): Cut => ({
  at: random.between(0, random.chance(0.5) ? most : MOST_OPERATIONS),
  instant: random.pick(['before', 'torn', 'after']),
  kind: random.pick(['kill', 'power']),
  again: random.chance(0.3) ? drawCut(random, most) : null,
});
const drawKind = (random: SeededRandom) => random.pick(['kill', 'power'] as const);

const enrol: Draw = (random) => ({ do: 'enrol', list: any(random), person: any(random), face: any(random) });
const drawNetwork = (random: SeededRandom) => (random.chance(0.6) ? 'good' : random.pick(networkPlans));
const sync: Draw = (random) => ({ do: 'sync', device: any(random), network: drawNetwork(random) });
const wait: Draw = (random) => ({ do: 'wait', ms: random.pick(WAITS) + random.between(0, MINUTE) });

/** Steps that may happen in the middle of another one, with their weights. */
const SHORT: readonly (readonly [number, Draw])[] = [
  [7, enrol],
  [4, (random) => ({ do: 'erase', list: any(random), person: any(random) })],
  [1, (random) => ({ do: random.pick(['close', 'end']), list: any(random) })],
  [0.5, (random) => ({ do: 'delete-list', list: any(random) })],
  [1, (random) => ({ do: 'move-end', list: any(random), endsInMs: random.pick(WAITS) })],
  [1, (random) => ({ do: 'suspend', account: any(random) })],
  [1.5, (random) => ({ do: 'resume', account: any(random) })],
  [0.7, (random) => ({ do: 'revoke', device: any(random) })],
  [1.5, () => ({ do: 'run-jobs' })],
  [1, () => ({ do: 'restart-service' })],
  [0.4, () => ({ do: 'upgrade-service' })],
  [0.5, () => ({ do: 'rotate-kek' })],
  [1, () => ({ do: 'back-up' })],
  [0.7, (random) => ({ do: 'restore', backup: any(random) })],
  [6, wait],
  [0.7, (random) => ({ do: 'set-clock', device: any(random), ms: random.pick(SHIFTS) })],
  [0.5, (random) => ({ do: 'fill-disk', device: any(random) })],
];

const ALONE: readonly (readonly [number, Draw])[] = [
  [10, sync],
  [0.5, (random) => ({ do: 'wait', ms: random.pick(LONG_WAITS) })],
  [
    0.7,
    (random) => ({
      ...{ do: 'create-list', account: any(random) },
      endsInMs: random.chance(0.4) ? null : random.pick(WAITS),
    }),
  ],
  [2, (random) => ({ do: 'restart', device: any(random), kind: drawKind(random), cut: null })],
  [
    1.5,
    (random) => ({ do: 'restart', device: any(random), kind: drawKind(random), cut: drawCut(random, FEW_OPERATIONS) }),
  ],
  [1, (random) => ({ do: 'run', device: any(random), ms: random.pick(RUNS), network: drawNetwork(random) })],
  [1, (random) => ({ do: 'switch-off', device: any(random), kind: drawKind(random) })],
  [3, (random) => ({ do: 'cut-sync', device: any(random), cut: drawCut(random) })],
  [1.5, (random) => ({ do: 'cut-verify', device: any(random), cut: drawCut(random, FEW_OPERATIONS) })],
  [2, (random) => ({ do: 'mend', device: any(random) })],
  [0.7, (random) => ({ do: 'fail-disk', device: any(random), rate: random.pick([0.02, 0.2]) })],
  [0.5, (random) => ({ do: 'rot', device: any(random), what: random.pick(['state', 'pack']) })],
  [0.7, (random) => ({ do: 'add-device', list: any(random) })],
  [1, (random) => ({ do: 'add-again', device: any(random), list: any(random) })],
  [2, (random) => ({ do: 'verify', device: any(random), person: any(random) })],
  [
    2.5,
    (random) => ({
      ...{ do: 'slow-sync', device: any(random), way: random.pick(['there', 'back']) },
      meanwhile: drawMeanwhile(random),
    }),
  ],
  [
    2,
    (random) => {
      const device = any(random);
      return { do: 'slow-verify', device, person: any(random), meanwhile: drawAtTheDoor(random, device) };
    },
  ],
  [1, (random) => ({ do: 'stale-sync', device: any(random), backup: any(random) })],
];

const EVERYTHING = [...SHORT, ...ALONE];

function draw(random: SeededRandom, from: readonly (readonly [number, Draw])[]): Step {
  let left = random.next() * from.reduce((sum, [weight]) => sum + weight, 0);
  for (const [weight, make] of from) {
    left -= weight;
    if (left < 0) return make(random);
  }
  return wait(random);
}

function drawMeanwhile(random: SeededRandom): Step[] {
  return Array.from({ length: random.between(1, 3) }, () => draw(random, SHORT));
}

/** During an attempt a device may sync, and must obey the answer. */
function drawAtTheDoor(random: SeededRandom, device: number): Step[] {
  if (random.chance(0.5)) return drawMeanwhile(random);
  const news: Step[] = random.chance(0.2) ? [{ do: 'revoke', device }] : drawMeanwhile(random);
  return [...news, { do: 'sync', device, network: 'good' }];
}

/** Sequences that random steps hardly ever produce. */
function drawMotif(random: SeededRandom): Step[] {
  const [device, list, person] = [any(random), any(random), any(random)];
  const again: Step = { do: 'sync', device, network: 'good' };
  const change: Step = random.chance(0.5)
    ? { do: 'erase', list, person }
    : { do: 'enrol', list, person, face: any(random) };
  const back: Step[] = random.chance(0.5)
    ? [{ do: 'restore', backup: null }, enrol(random)]
    : [
        { do: 'restart', device, kind: drawKind(random), cut: null },
        { do: 'stale-sync', device, backup: null },
      ];
  return [enrol(random), again, { do: 'back-up' }, change, again, ...back, again];
}

/** The same seed gives the same history on every machine. */
export function drawHistory(seed: number): History {
  const random = createSeededRandom(seed);
  const begin: Step[] = [
    { do: 'create-list', account: 0, endsInMs: null },
    { do: 'create-list', account: random.between(0, 1), endsInMs: random.pick(WAITS) + DAY },
    ...[0, 1].flatMap((list) => [0, 1].map((): Step => ({ do: 'add-device', list: list + random.between(0, 1) }))),
    ...[0, 1].flatMap((list) => [0, 1, 2].map((person): Step => ({ do: 'enrol', list, person, face: any(random) }))),
    { do: 'sync', device: 0, network: 'good' },
    { do: 'sync', device: 1, network: 'good' },
  ];
  const steps = Array.from({ length: random.between(6, 26) }, () => draw(random, EVERYTHING));
  if (random.chance(0.4)) steps.splice(random.between(0, steps.length), 0, ...drawMotif(random));
  return { seed, steps: [...begin, ...steps] };
}
