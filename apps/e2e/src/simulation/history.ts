import { DAY_MS as DAY, HOUR_MS as HOUR, MINUTE_MS as MINUTE } from '@svc/protocol';
import fc from 'fast-check';
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

/** Steps of the service. Numbers name existing lists and people, and wrap around. */
export type ServiceStep =
  | { readonly do: 'enrol'; readonly list: number; readonly person: number; readonly face: number }
  | { readonly do: 'erase'; readonly list: number; readonly person: number }
  | { readonly do: 'delete-list'; readonly list: number }
  | { readonly do: 'create-list'; readonly endsInMs: number | null }
  | { readonly do: 'move-end'; readonly list: number; readonly endsInMs: number }
  | { readonly do: 'run-jobs' | 'restart-service' | 'upgrade-service' | 'back-up' }
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
    };

export type Step = ServiceStep | WorldStep | DeviceStep;

const WAITS = [MINUTE, 10 * MINUTE, 50 * MINUTE, 3 * HOUR, 11 * HOUR, 23 * HOUR, DAY + MINUTE, 2 * DAY] as const;
const LONG_WAITS = [5 * DAY, 16 * DAY, 31 * DAY] as const;
const SHIFTS = [-3 * DAY, -2 * HOUR, -3 * MINUTE, -MINUTE, MINUTE, 2 * HOUR, DAY, 40 * DAY] as const;
/** Few syncs, wipes or purges take more changing disk operations. */
const MOST_OPERATIONS = 27;
/** A start and a verification that only record the time take this many. */
const FEW_OPERATIONS = 3;

const any = fc.nat(999);
const kind = fc.constantFrom<CutKind>('kill', 'power');
const either = <T>(often: fc.Arbitrary<T>, rarely: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 6, arbitrary: often }, { weight: 4, arbitrary: rarely });
const network: fc.Arbitrary<NetworkPlan> = either<NetworkPlan>(fc.constant('good'), fc.constantFrom(...networkPlans));
const cutWithin = (most: number) =>
  fc.letrec<{ cut: Cut }>((tie) => ({
    cut: fc.record({
      at: either(fc.nat(most), fc.nat(MOST_OPERATIONS)),
      instant: fc.constantFrom<CutInstant>('before', 'torn', 'after'),
      kind,
      again: either<Cut | null>(fc.constant(null), tie('cut')),
    }),
  })).cut;

type Weighted = fc.WeightedArbitrary<Step>;

/** The steps that may do this. */
type Doing<D, S = Step> = S extends { readonly do: infer A } ? (D extends A ? S : never) : never;

/** @param weight among the steps that may happen @param what it does, with these values */
const step = <D extends Step['do']>(
  weight: number,
  what: D | readonly D[],
  values: { [K in Exclude<keyof Doing<D>, 'do'>]: fc.Arbitrary<Doing<D>[K]> },
): Weighted => ({
  weight,
  arbitrary: fc.record({ do: fc.constantFrom(...[what].flat()), ...values }) as fc.Arbitrary<never>,
});

const enrol = step(70, 'enrol', { list: any, person: any, face: any });
const erase = step(40, 'erase', { list: any, person: any });

/** Steps that may happen in the middle of another one. */
const SHORT: readonly Weighted[] = [
  enrol,
  erase,
  step(5, 'delete-list', { list: any }),
  step(10, 'move-end', { list: any, endsInMs: fc.constantFrom(...WAITS) }),
  step(7, 'revoke', { device: any }),
  step(40, ['run-jobs', 'restart-service', 'upgrade-service', 'back-up'], {}),
  step(7, 'restore', { backup: any }),
  step(60, 'wait', { ms: fc.constantFrom(...WAITS).chain((ms) => fc.integer({ min: ms, max: ms + MINUTE })) }),
  step(7, 'set-clock', { device: any, ms: fc.constantFrom(...SHIFTS) }),
];

const meanwhile = fc.array(fc.oneof(...SHORT), { minLength: 1, maxLength: 3 });
const sync = (device: number): Step => ({ do: 'sync', device, network: 'good' });
/** During an attempt a device may sync, and must obey the answer. */
const visits = fc
  .record({ device: any, person: any, meanwhile, isRevoked: fc.boolean(), syncs: fc.boolean() })
  .map(({ isRevoked, syncs, ...visit }): Step => {
    const news: Step[] = isRevoked ? [{ do: 'revoke', device: visit.device }] : visit.meanwhile;
    return { do: 'slow-verify', ...visit, meanwhile: syncs ? [...news, sync(visit.device)] : visit.meanwhile };
  });

const ALONE: readonly Weighted[] = [
  step(100, 'sync', { device: any, network }),
  step(5, 'wait', { ms: fc.constantFrom(...LONG_WAITS) }),
  step(7, 'create-list', { endsInMs: either<number | null>(fc.constantFrom(...WAITS), fc.constant(null)) }),
  step(35, 'restart', { device: any, kind, cut: either<Cut | null>(fc.constant(null), cutWithin(FEW_OPERATIONS)) }),
  step(10, 'switch-off', { device: any, kind }),
  step(30, 'cut-sync', { device: any, cut: cutWithin(MOST_OPERATIONS) }),
  step(15, 'cut-verify', { device: any, cut: cutWithin(FEW_OPERATIONS) }),
  step(7, 'add-device', { list: any }),
  step(10, 'add-again', { device: any, list: any }),
  step(20, 'verify', { device: any, person: any }),
  step(25, 'slow-sync', { device: any, way: fc.constantFrom<Way>('there', 'back'), meanwhile }),
  { weight: 20, arbitrary: visits },
];

/** A sequence that random steps hardly ever produce: a backup comes back after a change that a device knows of. */
const motif = fc
  .record({ device: any, change: fc.oneof(enrol, erase), back: fc.oneof(enrol) })
  .map(({ device, change, back }): Step[] => {
    const restored: Step = { do: 'restore', backup: null };
    return [back, sync(device), { do: 'back-up' }, change, sync(device), restored, back, sync(device)];
  });

/** Two lists with devices and people, and what happens then. */
export const histories: fc.Arbitrary<readonly Step[]> = fc
  .record({
    endsInMs: fc.constantFrom(...WAITS),
    steps: fc.array(fc.oneof(...SHORT, ...ALONE), { minLength: 6, maxLength: 26 }),
    rare: either<Step[]>(fc.constant([]), motif),
  })
  .map(({ endsInMs, steps, rare }) => [
    { do: 'create-list', endsInMs: null },
    { do: 'create-list', endsInMs: endsInMs + DAY },
    ...[0, 1, 0, 1].map((list): Step => ({ do: 'add-device', list })),
    ...[0, 1].flatMap((list) => [0, 1, 2].map((person): Step => ({ do: 'enrol', list, person, face: person }))),
    ...[sync(0), sync(1), ...steps.slice(0, 5), ...rare, ...steps.slice(5)],
  ]);
