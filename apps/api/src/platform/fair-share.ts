/** Whose request something is held for, and how much of a whole is its by right, compared with others. */
export interface Share {
  readonly name: string;
  readonly weight: number;
}

const SERVER_WEIGHT = 3;
const GUESTS_WEIGHT = 1;

/** What an organiser's own server sends. */
export const serverShare = (accountId: string): Share => ({ name: `${accountId}/server`, weight: SERVER_WEIGHT });
/** What all guests of an organiser send together: never as much as its server may. */
export const guestsShare = (accountId: string): Share => ({ name: `${accountId}/guests`, weight: GUESTS_WEIGHT });

/** A part of a {@link SharedWhole}. */
export interface Holding {
  /**
   * Takes so much more, of those that hold the most for their weight where nothing is left.
   * @returns false, and takes nothing, when there is none
   */
  take(amount: number): boolean;
  /** It cannot be taken away any more. */
  keep(): void;
  /** Gives everything back; a second time does no harm. */
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
  /** In the order in which they came. */
  readonly holders: Set<Holder>;
}

/**
 * A bounded whole that any share may use up alone. Once nothing is left, whoever holds less for its weight than another
 * share takes from that one, its newest holder first.
 */
export class SharedWhole {
  readonly #limit: number;
  readonly #accounts = new Map<string, Account>();
  #held = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get held(): number {
    return this.#held;
  }

  /** @param onTaken called when it is taken away: from then on it holds nothing */
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

  /** Whether a share could take so much at this moment. */
  hasRoom(share: Share, amount: number): boolean {
    if (this.#held + amount <= this.#limit) return true;
    const own = this.#accounts.get(share.name);
    return this.#victim(share, (own?.held ?? 0) + amount) !== null;
  }

  #take(holder: Holder, amount: number): boolean {
    const { of } = holder;
    while (this.#held + amount > this.#limit) {
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

  /** Who gives way to a share that would then hold `held`. */
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
  /** When its next turn is due, in the time of {@link FairTurns}. */
  nextAt: number;
}

/**
 * So many at a time; the others in turns, by start-time fair queueing (Goyal, Vin and Cheng, 1996): each share as often
 * as its weight says, and within a share in the order in which they came. What a share did not use while nobody waited
 * it has not saved up.
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
   * @returns how to end it, once; null when it has not come in time, or `gone` was aborted before
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
        // Its time has passed: nothing of it matters any more.
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
