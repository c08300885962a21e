import { DAY_MS, HOUR_MS } from '@svc/protocol';
import { describe, expect, inject, it } from 'vitest';
import type { Cut, Step } from './history.ts';
import { run } from './simulate.ts';
import type { CutInstant, CutKind } from './simulated-disk.ts';
import { openDatabases } from './simulated-service.ts';

const SEED = 7;

const databases = await openDatabases(inject('postgres'));

const enrol = (person: number): Step => ({ do: 'enrol', list: 0, person, face: person });
const sync: Step = { do: 'sync', device: 0, network: 'good' };
const off: Step = { do: 'switch-off', device: 0, kind: 'kill' };
const wait = (ms: number): Step => ({ do: 'wait', ms });
const device: readonly Step[] = [{ do: 'add-device', list: 0 }, enrol(0), enrol(1)];
const ongoing: readonly Step[] = [{ do: 'create-list', account: 0, endsInMs: null }, ...device];
const event: readonly Step[] = [{ do: 'create-list', account: 0, endsInMs: 5 * HOUR_MS }, ...device];

interface Deed {
  readonly before: readonly Step[];
  /** Where the cut comes: in a sync, or in the next start. */
  readonly deed: 'cut-sync' | 'restart';
  /** Number of changing disk operations it takes. */
  readonly writes: number;
}

const deeds: Readonly<Record<string, Deed>> = {
  'a first sync, of a whole pack': { before: ongoing, deed: 'cut-sync', writes: 15 },
  'a sync of changes': {
    before: [...ongoing, sync, enrol(2), { do: 'erase', list: 0, person: 0 }],
    ...{ deed: 'cut-sync', writes: 22 },
  },
  'a sync of nothing new': { before: [...ongoing, sync], deed: 'cut-sync', writes: 6 },
  'a sync of changes that do not fit, and of the whole pack': {
    before: [...ongoing, sync, { do: 'back-up' }, enrol(2), sync, { do: 'restore', backup: null }, enrol(3)],
    ...{ deed: 'cut-sync', writes: 22 },
  },
  'the wipe of a revoked device': {
    before: [...ongoing, sync, { do: 'revoke', device: 0 }],
    ...{ deed: 'cut-sync', writes: 24 },
  },
  'the wipe of a suspended account’s device': {
    before: [...ongoing, sync, { do: 'suspend', account: 0 }],
    ...{ deed: 'cut-sync', writes: 19 },
  },
  'the wipe at the deadline, offline': {
    before: [...event, sync, off, wait(6 * HOUR_MS)],
    ...{ deed: 'restart', writes: 21 },
  },
  'the wipe after thirty days, offline': {
    before: [...ongoing, sync, off, wait(31 * DAY_MS)],
    ...{ deed: 'restart', writes: 26 },
  },
  'the dropping of who is due, offline': {
    before: [...ongoing, sync, wait(DAY_MS - HOUR_MS), enrol(2), sync, off, wait(DAY_MS + 2 * HOUR_MS)],
    ...{ deed: 'restart', writes: 24 },
  },
  'the erasure of what has rotted': {
    before: [...ongoing, sync, off, { do: 'rot', device: 0, what: 'pack' }],
    ...{ deed: 'restart', writes: 21 },
  },
};

const isLong = process.env.SVC_TEST_EVERY_INSTANT !== undefined;
/** Atomic operations are not cut in the middle: that equals a cut before or after them. */
const instants: readonly CutInstant[] = isLong ? ['before', 'torn', 'after'] : ['torn'];
const kinds: readonly CutKind[] = isLong ? ['kill', 'power'] : ['power'];
const tried = Object.entries(deeds).filter(([name]) => isLong || name === 'a sync of changes');

/** @returns the failures, and how many cuts were reached */
async function withCuts(
  { before, deed }: Deed,
  cut: Cut,
): Promise<{ readonly broken: string[]; readonly cuts: number }> {
  const step: Step = deed === 'restart' ? { do: deed, device: 0, kind: cut.kind, cut } : { do: deed, device: 0, cut };
  const { failure, seen } = await run({ seed: SEED, steps: [...before, step] }, databases);
  const reached = Object.entries(seen.cuts).filter(([kind]) => !kind.endsWith('at rest'));
  const cuts = reached.reduce((sum, [, times]) => sum + times, 0);
  return { broken: failure === null ? [] : [`${JSON.stringify(cut)}: ${failure.message}`], cuts };
}

describe('a program or a power that ends at each write of', () => {
  it.each(tried)('%s keeps what is promised', { timeout: 300_000 }, async (_name, deed) => {
    const all: string[] = [];
    const writes: number[] = [];
    for (const instant of instants) {
      for (const kind of kinds) {
        for (let at = 0; ; at += 1) {
          const { broken, cuts } = await withCuts(deed, { at, instant, kind, again: null });
          all.push(...broken);
          if (cuts > 0) continue;
          writes.push(at);
          break;
        }
      }
    }
    expect(all.join('\n')).toBe('');
    expect(writes).toEqual(writes.map(() => deed.writes));
  });
});

describe.skipIf(!isLong)('and again at each write of the start behind it:', () => {
  it.each(tried)('%s keeps what is promised', { timeout: 1_800_000 }, async (_name, deed) => {
    const all: string[] = [];
    let twice = 0;
    const turn = (n: number): CutKind => (n % 2 === 0 ? 'kill' : 'power');
    for (let at = 0; at < deed.writes; at += 1) {
      for (let then = 0, isReached = true; isReached; then += 1) {
        // Every pair of writes, and each pair of kinds in turn.
        const again: Cut = { at: then, instant: 'torn', kind: turn(then), again: null };
        const { broken, cuts } = await withCuts(deed, { at, instant: 'torn', kind: turn(at), again });
        all.push(...broken);
        isReached = cuts === 2;
        if (isReached) twice += 1;
      }
    }
    expect(all.join('\n')).toBe('');
    expect(twice).toBeGreaterThan(deed.writes);
  });
});
