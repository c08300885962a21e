/** Who may be enrolled somewhere. */
export const PEOPLE = ['p0', 'p1', 'p2', 'p3', 'p4'] as const;
/** Who never is. */
export const NOBODY = 'nobody';

/** Counted round. */
export function personOf(nth: number): string {
  return PEOPLE[nth % PEOPLE.length] ?? NOBODY;
}
