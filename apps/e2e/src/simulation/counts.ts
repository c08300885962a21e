/** Subjects that are counted, each by kind. */
const SUBJECTS = ['syncs', 'verifications', 'wipes', 'cuts'] as const;
type Subject = (typeof SUBJECTS)[number];

/** How often each kind of event was seen. */
export type Counts = Readonly<Record<Subject, Readonly<Record<string, number>>>>;

export const NO_COUNTS: Counts = { syncs: {}, verifications: {}, wipes: {}, cuts: {} };

/** Counts the events of a history. */
export class Counter {
  readonly #counts: Record<Subject, Record<string, number>> = { syncs: {}, verifications: {}, wipes: {}, cuts: {} };

  count(subject: Subject, kind: string): void {
    const kinds = this.#counts[subject];
    kinds[kind] = (kinds[kind] ?? 0) + 1;
  }

  /** The counts so far; updated in place. */
  get counts(): Counts {
    return this.#counts;
  }
}

export function added(a: Counts, b: Counts): Counts {
  const sum = (subject: Subject): Record<string, number> => {
    const kinds = { ...a[subject] };
    for (const [kind, times] of Object.entries(b[subject])) kinds[kind] = (kinds[kind] ?? 0) + times;
    return kinds;
  };
  return { syncs: sum('syncs'), verifications: sum('verifications'), wipes: sum('wipes'), cuts: sum('cuts') };
}

/** Total of one subject over all kinds. */
function total(kinds: Readonly<Record<string, number>>): number {
  return Object.values(kinds).reduce((sum, times) => sum + times, 0);
}

/** One line: each subject with its kinds, the most frequent first. */
export function summaryOf(counts: Counts): string {
  return SUBJECTS.map((subject) => {
    const kinds = Object.entries(counts[subject]).sort(([, a], [, b]) => b - a);
    return `${total(counts[subject])} ${subject} (${kinds.map(([kind, times]) => `${kind} ${times}`).join(', ')})`;
  }).join('; ');
}

/**
 * Average number of seeds per event of each kind, at most: a simulation in which every device is always refused would
 * prove nothing.
 */
const SEEDS_A_TIME: Counts = {
  syncs: { updated: 1, unchanged: 1, wiped: 5 },
  verifications: { Match: 1, NoFace: 1, NoMatch: 5, NotEnrolled: 1, LeaseExpired: 1, Expired: 20 },
  wipes: {
    ...{ 'device-revoked': 30, 'list-deleted': 30, 'account-suspended': 30 },
    ...{ 'retention-deadline': 10, 'no-sync-30-days': 30 },
  },
  cuts: {
    ...{ 'kill in a sync': 15, 'power in a sync': 15, 'kill in a start': 15, 'power in a start': 15 },
    ...{ 'kill in a verification': 50, 'power in a verification': 50, 'kill at rest': 3, 'power at rest': 3 },
  },
};

/** @returns the kinds seen less often than required for so many seeds */
export function seenTooSeldom(counts: Counts, seeds: number): readonly string[] {
  return SUBJECTS.flatMap((subject) =>
    Object.entries(SEEDS_A_TIME[subject])
      .filter(([kind, seedsATime]) => (counts[subject][kind] ?? 0) < seeds / seedsATime)
      .map(([kind]) => `${subject}: ${kind}`),
  );
}
