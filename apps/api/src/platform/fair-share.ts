/** A caller's share of a resource, with its weight relative to others. */
export interface Share {
  readonly name: string;
  readonly weight: number;
}

const SERVER_WEIGHT = 3;
const GUESTS_WEIGHT = 1;

/** Requests of an organiser's own server. */
export const serverShare = (accountId: string): Share => ({ name: `${accountId}/server`, weight: SERVER_WEIGHT });
/** Requests of all guests of an organiser, with less weight than its server. */
export const guestsShare = (accountId: string): Share => ({ name: `${accountId}/guests`, weight: GUESTS_WEIGHT });

/** An amount held of a {@link FairQuota}. */
export interface Holding {
  /**
   * Takes more; if nothing is left, from the share that holds the most for its weight.
   * @returns false, without taking anything, when that is not possible
   */
  take(amount: number): boolean;
  /** From now on it cannot be taken away. */
  keep(): void;
  /** Releases everything; idempotent. */
  close(): void;
}

interface Holder {
  readonly of: Account;
  held: number;
  isKept: boolean;
  readonly onTaken: () => void;
}

interface Account {
  readonly share: Share;
  held: number;
  /** Oldest first. */
  readonly holders: Set<Holder>;
}

/**
 * A bounded resource that one share may use up alone. When nothing is left, a share that holds less for its weight
 * takes from the one that holds most, its newest holder first.
 */
export class FairQuota {
  readonly #accounts = new Map<string, Account>();
  #held = 0;

  constructor(readonly limit: number) {}

  get held(): number {
    return this.#held;
  }

  /** @param onTaken called when the holding is taken away; it is empty then */
  open(share: Share, onTaken: () => void): Holding {
    const account = this.#accounts.get(share.name) ?? { share, held: 0, holders: new Set<Holder>() };
    const holder: Holder = { of: account, held: 0, isKept: false, onTaken };
    this.#accounts.set(share.name, account);
    account.holders.add(holder);
    return {
      take: (amount) => account.holders.has(holder) && this.#take(holder, amount),
      keep: () => {
        holder.isKept = true;
      },
      close: () => this.#close(holder),
    };
  }

  /** Whether a share could take this amount now. */
  hasRoom(share: Share, amount: number): boolean {
    if (this.#held + amount <= this.limit) return true;
    const own = this.#accounts.get(share.name);
    return this.#victim(share, (own?.held ?? 0) + amount) !== null;
  }

  #take(holder: Holder, amount: number): boolean {
    const { of } = holder;
    while (this.#held + amount > this.limit) {
      const victim = this.#victim(of.share, of.held + amount);
      if (victim === null) return false;
      this.#close(victim);
      victim.onTaken();
    }
    this.#held += amount;
    of.held += amount;
    holder.held += amount;
    return true;
  }

  /** The holder that yields to a share that would then hold `held`. */
  #victim(share: Share, held: number): Holder | null {
    let found: Holder | null = null;
    let most = held / share.weight;
    for (const account of this.#accounts.values()) {
      const holds = account.held / account.share.weight;
      if (account.share.name === share.name || holds <= most) continue;
      const newest = [...account.holders].findLast((holder) => !holder.isKept && holder.held > 0);
      if (newest === undefined) continue;
      [found, most] = [newest, holds];
    }
    return found;
  }

  #close(holder: Holder): void {
    const { of } = holder;
    if (!of.holders.delete(holder)) return;
    of.held -= holder.held;
    this.#held -= holder.held;
    if (of.holders.size === 0) this.#accounts.delete(of.share.name);
  }
}

interface Waiter {
  readonly begin: () => void;
}

interface Line {
  readonly share: Share;
  readonly waiting: Set<Waiter>;
  /** Virtual time of its next turn in {@link FairTurns}. */
  nextAt: number;
}

/**
 * Limits concurrency; waiting shares get turns by start-time fair queueing (Goyal, Vin and Cheng, 1996): proportional
 * to weight, and first come, first served within a share. Unused turns are not saved up.
 */
export class FairTurns {
  #free: number;
  #now = 0;
  readonly #lines = new Map<string, Line>();

  constructor(atOnce: number) {
    this.#free = atOnce;
  }

  /**
   * Waits for a turn.
   * @returns a function that ends it, to call once; null on timeout, or when `gone` was aborted before
   */
  take(share: Share, gone: AbortSignal, limitMs: number): Promise<(() => void) | null> {
    if (gone.aborted) return Promise.resolve(null);
    const line = this.#lines.get(share.name) ?? { share, waiting: new Set<Waiter>(), nextAt: 0 };
    this.#lines.set(share.name, line);
    line.nextAt = Math.max(line.nextAt, this.#now);
    if (this.#free > 0) {
      this.#free -= 1;
      this.#charge(line);
      return Promise.resolve(this.#ending());
    }
    return new Promise((resolve) => {
      const settle = (turn: (() => void) | null) => {
        clearTimeout(timer);
        gone.removeEventListener('abort', leave);
        line.waiting.delete(waiter);
        resolve(turn);
      };
      const waiter = { begin: () => settle(this.#ending()) };
      const leave = () => settle(null);
      const timer = setTimeout(leave, limitMs);
      gone.addEventListener('abort', leave, { once: true });
      line.waiting.add(waiter);
    });
  }

  #ending(): () => void {
    let ended = false;
    return () => {
      if (ended) return;
      ended = true;
      this.#next();
    };
  }

  #charge(line: Line): void {
    this.#now = line.nextAt;
    line.nextAt += 1 / line.share.weight;
  }

  #next(): void {
    let due: Line | undefined;
    for (const line of this.#lines.values()) {
      if (line.waiting.size === 0) {
        // Its virtual time has passed, so it needs no state.
        if (line.nextAt <= this.#now) this.#lines.delete(line.share.name);
      } else if (due === undefined || line.nextAt < due.nextAt) due = line;
    }
    const [waiter] = due?.waiting ?? [];
    if (due === undefined || waiter === undefined) {
      this.#free += 1;
      return;
    }
    this.#charge(due);
    waiter.begin();
  }
}
