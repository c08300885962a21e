import { Listeners } from '@svc/page-kit';

/** How many people are sent at once. */
export const AT_ONCE = 3;

/** Longest wait after answers that were lost. */
const LONGEST_WAIT_MS = 30_000;
/** Failures of the service in a row after which a person has to decide. */
const MOST_FAILURES = 8;

/**
 * What is known of one person of an import.
 * - `sent`: a request was, or is about to be, on its way: it may have arrived.
 * - `done`: enrolled by this import; `deleteAfter` is null where the answer itself was never read.
 * - `refused`: the service, or this page, said why; nothing was enrolled.
 */
export type RowState =
  | { readonly state: 'waiting' }
  | { readonly state: 'sent' }
  | { readonly state: 'done'; readonly deleteAfter: string | null }
  | { readonly state: 'refused'; readonly code: string };

/**
 * - `paused`: by the organiser, and before the start.
 * - `waiting`: nothing is sent before `untilMs`, because of `reason`.
 * - `stopped`: cannot go on without somebody, because of `reason`.
 */
export type Phase =
  | { readonly name: 'paused' | 'running' | 'finished' }
  | { readonly name: 'waiting'; readonly reason: string; readonly untilMs: number }
  | { readonly name: 'stopped'; readonly reason: string };

export interface ImportState {
  readonly rows: readonly RowState[];
  readonly phase: Phase;
}

/**
 * What became of a request.
 * - `later`: not now: limits and overload. An earlier request of this row may still be carried out.
 * - `lost`: no answer, or a failure of the service.
 * - `blocked`: no row can be enrolled any more before somebody has done something.
 */
export type Outcome =
  | Extract<RowState, { readonly state: 'done' | 'refused' }>
  | { readonly state: 'later'; readonly reason: string; readonly untilMs: number }
  | { readonly state: 'lost' | 'blocked'; readonly reason: string };

export interface ImportPorts {
  /** Sends a row under its Idempotency-Key; never rejects. */
  send(row: number): Promise<Outcome>;
  /** Whether the ledger has what this row was sent for; never rejects. */
  look(row: number): Promise<boolean | Outcome>;
  /** Resolves once the state would outlive this page. @throws when it cannot be kept */
  save(row: number, state: RowState): Promise<void>;
  /** Forgets the import: nothing is left to do. */
  discard(): Promise<void>;
  now(): number;
  /** Calls back once, not before the time; several may be waited for. */
  wait(untilMs: number, then: () => void): void;
}

export const newRows = (count: number): readonly RowState[] =>
  Array.from({ length: count }, () => ({ state: 'waiting' }));

export const isSettled = ({ state }: RowState): boolean => state === 'done' || state === 'refused';

/**
 * The import of a folder. Nothing is enrolled twice: a row is kept as sent before it is sent, under an Idempotency-Key of
 * its own, and one that may have been sent is looked for in the ledger before it is sent again, which also holds when the
 * service has forgotten the key.
 */
export class ImportRun {
  readonly #ports: ImportPorts;
  readonly #listeners = new Listeners<void>();
  /** Rows with a request on its way from this page. */
  readonly #onTheWay = new Set<number>();
  #state: ImportState;
  /** Answers in a row that were lost or failures of the service. */
  #failures = 0;
  /** Whether what was to be kept last could be. */
  #saved: Promise<boolean> = Promise.resolve(true);
  #isDisposed = false;

  /** @param rows as they were kept, by this page or by one that was killed */
  constructor(rows: readonly RowState[], ports: ImportPorts) {
    this.#state = { rows, phase: { name: 'paused' } };
    this.#ports = ports;
  }

  readonly state = (): ImportState => this.#state;
  readonly subscribe = (listener: () => void): (() => void) => this.#listeners.add(listener);

  start(): void {
    const { name } = this.#state.phase;
    if (name === 'running' || name === 'finished') return;
    this.#failures = 0;
    this.#goOn({ name: 'running' });
  }

  pause(): void {
    if (this.#isOn()) this.#show({ phase: { name: 'paused' } });
  }

  /** The wait is over, or the connection is back. */
  wakeUp(nowMs: number): void {
    const { phase } = this.#state;
    if (phase.name === 'waiting' && nowMs >= phase.untilMs) this.#goOn({ name: 'running' });
  }

  /** Another photo was chosen for a refused row. */
  retry(row: number): void {
    const { rows, phase } = this.#state;
    if (rows[row]?.state !== 'refused') return;
    void this.#keep(row, { state: 'waiting' });
    this.#goOn(phase.name === 'finished' ? { name: 'running' } : phase);
  }

  /** As if the page were gone: nothing is sent, kept or told from here on. */
  dispose(): void {
    this.#isDisposed = true;
    this.#listeners.clear();
  }

  #isOn(): boolean {
    const { name } = this.#state.phase;
    return name === 'running' || name === 'waiting';
  }

  #show(changes: Partial<ImportState>): void {
    this.#state = { ...this.#state, ...changes };
    this.#listeners.tell();
  }

  #stop(reason: string): void {
    this.#show({ phase: { name: 'stopped', reason } });
  }

  /** Sends more while there is room, or ends. */
  #goOn(phase = this.#state.phase): void {
    this.#show({ phase });
    const { rows } = this.#state;
    for (const [row, known] of phase.name === 'running' ? rows.entries() : []) {
      if (this.#onTheWay.size >= AT_ONCE) break;
      if (!isSettled(known) && !this.#onTheWay.has(row)) void this.#take(row);
    }
    if (this.#onTheWay.size > 0 || !rows.every(isSettled)) return;
    this.#show({ phase: { name: 'finished' } });
    if (rows.some(({ state }) => state === 'refused')) return;
    void this.#saved.then(() => (this.#isDisposed ? undefined : this.#ports.discard().catch(() => undefined)));
  }

  async #take(row: number): Promise<void> {
    this.#onTheWay.add(row);
    const outcome = await this.#try(row);
    if (this.#isDisposed) return;
    this.#onTheWay.delete(row);
    if (outcome !== null) this.#settle(row, outcome);
    this.#goOn();
  }

  /** @returns null when it was not sent, because somebody paused meanwhile */
  async #try(row: number): Promise<Outcome | null> {
    if (this.#state.rows[row]?.state === 'sent') {
      const found = await this.#ports.look(row);
      if (found === true) return { state: 'done', deleteAfter: null };
      if (found !== false) return found;
      if (this.#state.phase.name !== 'running') return null;
    } else if (!(await this.#keep(row, { state: 'sent' }))) {
      this.#show({ rows: this.#state.rows.with(row, { state: 'waiting' }) });
      return null;
    }
    return this.#isDisposed ? null : this.#ports.send(row);
  }

  #settle(row: number, outcome: Outcome): void {
    this.#failures = outcome.state === 'lost' ? this.#failures + 1 : 0;
    const isGivenUp = this.#failures >= MOST_FAILURES;
    if (outcome.state === 'done' || outcome.state === 'refused') void this.#keep(row, outcome);
    else if (outcome.state === 'later') this.#waitUntil(outcome.reason, outcome.untilMs);
    else if (outcome.state === 'blocked' || (isGivenUp && outcome.reason !== 'no-connection'))
      this.#stop(outcome.reason);
    else this.#waitUntil(outcome.reason, this.#ports.now() + Math.min(LONGEST_WAIT_MS, 500 * 2 ** this.#failures));
  }

  /** A pause, or a stop, stays one. */
  #waitUntil(reason: string, untilMs: number): void {
    const { phase } = this.#state;
    if (!this.#isOn()) return;
    const latestMs = phase.name === 'waiting' ? Math.max(phase.untilMs, untilMs) : untilMs;
    this.#show({ phase: { name: 'waiting', reason, untilMs: latestMs } });
    this.#ports.wait(latestMs, () => this.wakeUp(this.#ports.now()));
  }

  /** Keeps what is known of a row, after all that was kept before. @returns whether it would outlive this page */
  #keep(row: number, state: RowState): Promise<boolean> {
    this.#show({ rows: this.#state.rows.with(row, state) });
    this.#saved = this.#saved.then(async () => {
      if (this.#isDisposed) return false;
      try {
        await this.#ports.save(row, state);
        return true;
      } catch {
        this.#stop('storage');
        return false;
      }
    });
    return this.#saved;
  }
}
