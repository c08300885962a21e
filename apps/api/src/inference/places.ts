/**
 * Places for enrolments, of which one account never holds more than about half: whoever sends slowly, or more than its share, leaves
 * the others room. The share is never less than the workers, so that one account alone keeps them all busy.
 */
export class Places {
  readonly #total: number;
  readonly #share: number;
  readonly #heldBy = new Map<string, number>();
  #held = 0;

  constructor(workers: number, queue: number) {
    this.#total = workers + queue;
    this.#share = Math.max(workers, Math.ceil(this.#total / 2));
  }

  /** @returns how to give the place back (a second time does no harm), or null when there is none for this account */
  take(accountId: string): (() => void) | null {
    const own = this.#heldBy.get(accountId) ?? 0;
    if (this.#held >= this.#total || own >= this.#share) return null;
    this.#held += 1;
    this.#heldBy.set(accountId, own + 1);
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      this.#held -= 1;
      const left = (this.#heldBy.get(accountId) ?? 1) - 1;
      if (left === 0) this.#heldBy.delete(accountId);
      else this.#heldBy.set(accountId, left);
    };
  }
}
