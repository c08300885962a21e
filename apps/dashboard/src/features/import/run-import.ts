import { type Effect, type ImportEvent, type ImportState, type RowState, transition } from './import-machine.ts';

/** What became of one request. */
export type Outcome =
  | Extract<ImportEvent, { readonly type: 'enrolled' | 'done-before' | 'refused' | 'later' | 'blocked' }>
  | { readonly type: 'lost'; readonly row: number; readonly reason: string };

/** The world of an import. */
export interface ImportPorts {
  /** Sends a row under its Idempotency-Key; never rejects. */
  send(row: number): Promise<Outcome>;
  /** Whether the ledger has what this row was sent for; never rejects. */
  look(row: number): Promise<{ readonly type: 'looked'; readonly row: number; readonly found: boolean } | Outcome>;
  /** Resolves once the states would outlive this page. @throws when they cannot be kept */
  save(rows: ReadonlyMap<number, RowState>): Promise<void>;
  /** Forgets the import. */
  discard(): Promise<void>;
  now(): number;
  /** Calls back once, not before the time; several may be waited for. */
  wait(untilMs: number, then: () => void): void;
}

/** A running import of this page. */
export interface ImportRun {
  readonly state: ImportState;
  dispatch(event: ImportEvent): void;
  /** Called after each change. @returns stops that */
  subscribe(changed: () => void): () => void;
  /** From here on nothing is sent, saved or told: as if the page were gone. */
  end(): void;
}

/** Carries out what {@link transition} asks for, each effect after those before it. */
export function runImport(from: ImportState, ports: ImportPorts): ImportRun {
  let state = from;
  let isOver = false;
  let saved: Promise<boolean> = Promise.resolve(true);
  const listeners = new Set<() => void>();

  function dispatch(event: ImportEvent): void {
    if (isOver) return;
    const step = transition(state, event);
    state = step.state;
    for (const effect of step.effects) carryOut(effect);
    for (const changed of listeners) changed();
  }

  const settleBy = (outcome: Outcome | Extract<ImportEvent, { readonly type: 'looked' }>) =>
    dispatch(outcome.type === 'lost' ? { ...outcome, nowMs: ports.now() } : outcome);

  function carryOut(effect: Effect): void {
    if (effect.type === 'save') {
      const rows = new Map(effect.rows.flatMap((row) => (state.rows[row] ? [[row, state.rows[row]] as const] : [])));
      saved = saved.then(() => keep(rows));
    } else if (effect.type === 'send') {
      void saved.then((isSaved) => (isSaved && !isOver ? ports.send(effect.row).then(settleBy) : undefined));
    } else if (effect.type === 'look') {
      void ports.look(effect.row).then(settleBy);
    } else if (effect.type === 'discard') {
      saved = saved.then(async (isSaved) => {
        if (!isOver) await ports.discard().catch(() => undefined);
        return isSaved;
      });
    } else {
      ports.wait(effect.untilMs, () => dispatch({ type: 'time', nowMs: ports.now() }));
    }
  }

  async function keep(rows: ReadonlyMap<number, RowState>): Promise<boolean> {
    if (isOver) return false;
    try {
      await ports.save(rows);
      return true;
    } catch {
      dispatch({ type: 'unsaved', rows: [...rows.keys()] });
      return false;
    }
  }

  return {
    get state() {
      return state;
    },
    dispatch,
    subscribe(changed) {
      listeners.add(changed);
      return () => listeners.delete(changed);
    },
    end() {
      isOver = true;
    },
  };
}
