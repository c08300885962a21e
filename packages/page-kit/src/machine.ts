import { Listeners } from './listeners.ts';

/** What follows on an event: the next state, and what is to be done, in this order. */
export interface Step<State, Effect> {
  readonly state: State;
  readonly effects: readonly Effect[];
}

export interface MachineParts<State, Event, Effect> {
  readonly initial: State;
  /** Pure. */
  readonly transition: (state: State, event: Event) => Step<State, Effect>;
  /** Starts an effect. What comes of it later is dispatched as an event. */
  readonly carryOut: (effect: Effect) => void;
}

/**
 * Runs a pure state machine. One event at a time: one that is dispatched by a listener or an effect waits until the
 * effects of the current one are started.
 */
export class Machine<State, Event, Effect> {
  readonly #parts: MachineParts<State, Event, Effect>;
  readonly #listeners = new Listeners<State>();
  readonly #waiting: Event[] = [];
  #state: State;
  #isRunning = false;
  #isDisposed = false;

  constructor(parts: MachineParts<State, Event, Effect>) {
    this.#parts = parts;
    this.#state = parts.initial;
  }

  get state(): State {
    return this.#state;
  }

  /** True from {@link dispose} on: effects under way check it before they go on. */
  get isDisposed(): boolean {
    return this.#isDisposed;
  }

  /** Called after each event, before its effects. @returns a function that removes the listener */
  readonly subscribe = (listener: (state: State) => void): (() => void) => this.#listeners.add(listener);

  readonly dispatch = (event: Event): void => {
    this.#waiting.push(event);
    if (this.#isRunning) return;
    this.#isRunning = true;
    try {
      while (this.#waiting.length > 0 && !this.#isDisposed) this.#take(this.#waiting.shift() as Event);
    } finally {
      this.#isRunning = false;
    }
  };

  /** From here on events are ignored and nothing is told. Idempotent. */
  dispose(): void {
    this.#isDisposed = true;
    this.#listeners.clear();
  }

  #take(event: Event): void {
    const { state, effects } = this.#parts.transition(this.#state, event);
    this.#state = state;
    this.#listeners.tell(state);
    for (const effect of effects) if (!this.#isDisposed) this.#parts.carryOut(effect);
  }
}

/** Events or effects without members of their own. */
export type Plain<T extends string> = T extends string ? { readonly type: T } : never;

/** A handler for each type of effect. */
export type EffectHandlers<Effect extends { readonly type: string }> = {
  readonly [T in Effect['type']]: (effect: Extract<Effect, { readonly type: T }>) => void;
};

/** Carries out each type of effect by its handler, for {@link MachineParts.carryOut}. */
export const byType =
  <Effect extends { readonly type: string }>(handlers: EffectHandlers<Effect>) =>
  (effect: Effect): void =>
    (handlers[effect.type as Effect['type']] as (effect: Effect) => void)(effect);
