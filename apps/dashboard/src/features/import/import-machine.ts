import { byType, Machine, type Step } from '@svc/page-kit';

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
  /** Rows with a request on its way from this page. */
  readonly onTheWay: ReadonlySet<number>;
  /** Answers in a row that were lost or failures of the service. */
  readonly failures: number;
}

export type ImportEvent =
  | { readonly type: 'start' }
  | { readonly type: 'pause' }
  /** The wait is over, or the connection is back. */
  | { readonly type: 'time'; readonly nowMs: number }
  | { readonly type: 'enrolled'; readonly row: number; readonly deleteAfter: string }
  /** The service knows an earlier request of this row that was carried out. */
  | { readonly type: 'done-before'; readonly row: number }
  | { readonly type: 'refused'; readonly row: number; readonly code: string }
  /** Not now: limits and overload. An earlier request of this row may still be carried out. */
  | { readonly type: 'later'; readonly row: number; readonly reason: string; readonly untilMs: number }
  /** No answer, or a failure of the service. */
  | { readonly type: 'lost'; readonly row: number; readonly reason: string; readonly nowMs: number }
  /** No row can be enrolled any more before somebody has done something. */
  | { readonly type: 'blocked'; readonly row: number; readonly reason: string }
  | { readonly type: 'looked'; readonly row: number; readonly found: boolean }
  /** What was to be remembered of these rows could not be, so what stood behind it was not done. */
  | { readonly type: 'unsaved'; readonly rows: readonly number[] }
  /** Another photo was chosen for a refused row. */
  | { readonly type: 'retry'; readonly row: number };

export type Effect =
  /** Remember the rows' states; the effects behind it have to wait until that is done. */
  | { readonly type: 'save'; readonly rows: readonly number[] }
  /** Send the row under its own Idempotency-Key. */
  | { readonly type: 'send'; readonly row: number }
  /** Look into the ledger whether a request that may have arrived was carried out. */
  | { readonly type: 'look'; readonly row: number }
  | { readonly type: 'wait'; readonly untilMs: number }
  /** Forget the import: nothing is left to do. */
  | { readonly type: 'discard' };

export const newImport = (count: number): ImportState => ({
  rows: Array.from({ length: count }, () => ({ state: 'waiting' })),
  phase: { name: 'paused' },
  onTheWay: new Set(),
  failures: 0,
});

/** An import as it was remembered, by this page or by one that was killed. */
export const resumedImport = (rows: readonly RowState[]): ImportState => ({ ...newImport(0), rows });

export const isSettled = ({ state }: RowState): boolean => state === 'done' || state === 'refused';

const withRow = (state: ImportState, row: number, now: RowState): ImportState => ({
  ...state,
  rows: state.rows.with(row, now),
});

function without(state: ImportState, row: number): ImportState {
  const onTheWay = new Set(state.onTheWay);
  onTheWay.delete(row);
  return { ...state, onTheWay };
}

/** Sends more while there is room, or ends. */
function goOn(state: ImportState, before: readonly Effect[] = []): Step<ImportState, Effect> {
  const isRunning = state.phase.name === 'running';
  const effects = [...before];
  const rows = [...state.rows];
  const onTheWay = new Set(state.onTheWay);
  for (const [row, { state: known }] of isRunning ? state.rows.entries() : []) {
    if (onTheWay.size >= AT_ONCE) break;
    if (onTheWay.has(row) || (known !== 'waiting' && known !== 'sent')) continue;
    onTheWay.add(row);
    if (known === 'sent') effects.push({ type: 'look', row });
    else {
      rows[row] = { state: 'sent' };
      effects.push({ type: 'save', rows: [row] }, { type: 'send', row });
    }
  }
  if (onTheWay.size > 0 || !rows.every(isSettled)) return { state: { ...state, rows, onTheWay }, effects };
  if (rows.every((row) => row.state === 'done')) effects.push({ type: 'discard' });
  return { state: { ...state, phase: { name: 'finished' } }, effects };
}

function settle(state: ImportState, row: number, now: RowState): Step<ImportState, Effect> {
  return goOn({ ...withRow(without(state, row), row, now), failures: 0 }, [{ type: 'save', rows: [row] }]);
}

/** A pause, or a stop, stays one. */
function waitUntil(state: ImportState, reason: string, untilMs: number): Step<ImportState, Effect> {
  const { phase } = state;
  if (phase.name !== 'running' && phase.name !== 'waiting') return { state, effects: [] };
  const latest = phase.name === 'waiting' ? Math.max(phase.untilMs, untilMs) : untilMs;
  const waiting: Phase = { name: 'waiting', reason, untilMs: latest };
  return { state: { ...state, phase: waiting }, effects: [{ type: 'wait', untilMs: latest }] };
}

function stop(state: ImportState, reason: string): Step<ImportState, Effect> {
  return { state: { ...state, phase: { name: 'stopped', reason } }, effects: [] };
}

function lose(
  state: ImportState,
  { row, reason, nowMs }: Extract<ImportEvent, { readonly type: 'lost' }>,
): Step<ImportState, Effect> {
  const failures = state.failures + 1;
  const left = { ...without(state, row), failures };
  if (failures >= MOST_FAILURES && reason !== 'no-connection') return stop(left, reason);
  return waitUntil(left, reason, nowMs + Math.min(LONGEST_WAIT_MS, 1_000 * 2 ** Math.min(failures - 1, 10)));
}

function start(state: ImportState): Step<ImportState, Effect> {
  const { name } = state.phase;
  if (name === 'running' || name === 'finished') return { state, effects: [] };
  return goOn({ ...state, phase: { name: 'running' }, failures: 0 });
}

function retry(state: ImportState, row: number): Step<ImportState, Effect> {
  if (state.rows[row]?.state !== 'refused') return { state, effects: [] };
  const waiting = withRow(state, row, { state: 'waiting' });
  const phase: Phase = state.phase.name === 'finished' ? { name: 'running' } : state.phase;
  return goOn({ ...waiting, phase }, [{ type: 'save', rows: [row] }]);
}

/**
 * The import of a folder as a pure machine: what is known, and what is to be done next. Nothing is enrolled twice as
 * long as `save` is done before what stands behind it, and each row keeps its Idempotency-Key: a row that may have been
 * sent is looked for in the ledger before it is sent again, which also holds when the service has forgotten the key.
 */
export function transition(state: ImportState, event: ImportEvent): Step<ImportState, Effect> {
  switch (event.type) {
    case 'start':
      return start(state);
    case 'pause': {
      const { name } = state.phase;
      const isOn = name === 'running' || name === 'waiting';
      return { state: isOn ? { ...state, phase: { name: 'paused' } } : state, effects: [] };
    }
    case 'time': {
      const { phase } = state;
      if (phase.name !== 'waiting' || event.nowMs < phase.untilMs) return { state, effects: [] };
      return goOn({ ...state, phase: { name: 'running' } });
    }
    case 'enrolled':
      return settle(state, event.row, { state: 'done', deleteAfter: event.deleteAfter });
    case 'done-before':
      return settle(state, event.row, { state: 'done', deleteAfter: null });
    case 'refused':
      return settle(state, event.row, { state: 'refused', code: event.code });
    case 'later':
      return waitUntil({ ...without(state, event.row), failures: 0 }, event.reason, event.untilMs);
    case 'lost':
      return lose(state, event);
    case 'blocked':
      return stop(without(state, event.row), event.reason);
    case 'looked': {
      if (event.found) return settle(state, event.row, { state: 'done', deleteAfter: null });
      if (state.phase.name === 'running') return { state, effects: [{ type: 'send', row: event.row }] };
      return { state: without(state, event.row), effects: [] };
    }
    case 'unsaved': {
      const unsent = event.rows.filter((row) => state.rows[row]?.state === 'sent');
      return stop(
        unsent.reduce((left, row) => withRow(without(left, row), row, { state: 'waiting' }), state),
        'storage',
      );
    }
    case 'retry':
      return retry(state, event.row);
    default:
      return event satisfies never;
  }
}

export type Outcome =
  | Extract<ImportEvent, { readonly type: 'enrolled' | 'done-before' | 'refused' | 'later' | 'blocked' }>
  | { readonly type: 'lost'; readonly row: number; readonly reason: string };

export interface ImportPorts {
  /** Sends a row under its Idempotency-Key; never rejects. */
  send(row: number): Promise<Outcome>;
  /** Whether the ledger has what this row was sent for; never rejects. */
  look(row: number): Promise<{ readonly type: 'looked'; readonly row: number; readonly found: boolean } | Outcome>;
  /** Resolves once the states would outlive this page. @throws when they cannot be kept */
  save(rows: ReadonlyMap<number, RowState>): Promise<void>;
  discard(): Promise<void>;
  now(): number;
  /** Calls back once, not before the time; several may be waited for. */
  wait(untilMs: number, then: () => void): void;
}

/** Carries out what {@link transition} asks for, each effect after those before it; dispose it as if the page were gone. */
export function runImport(from: ImportState, ports: ImportPorts): Machine<ImportState, ImportEvent, Effect> {
  let saved: Promise<boolean> = Promise.resolve(true);
  const machine = new Machine<ImportState, ImportEvent, Effect>({
    ...{ initial: from, transition },
    carryOut: (effect) => carryOut(effect),
  });
  const settleBy = (outcome: Outcome | Extract<ImportEvent, { readonly type: 'looked' }>) =>
    machine.dispatch(outcome.type === 'lost' ? { ...outcome, nowMs: ports.now() } : outcome);

  const carryOut = byType<Effect>({
    save: (effect) => {
      const { rows: states } = machine.state;
      const rows = new Map(effect.rows.flatMap((row) => (states[row] ? [[row, states[row]] as const] : [])));
      saved = saved.then(() => keep(rows));
    },
    send: ({ row }) =>
      void saved.then((isSaved) => (isSaved && !machine.isDisposed ? ports.send(row).then(settleBy) : undefined)),
    look: ({ row }) => void ports.look(row).then(settleBy),
    discard: () => {
      saved = saved.then(async (isSaved) => {
        if (!machine.isDisposed) await ports.discard().catch(() => undefined);
        return isSaved;
      });
    },
    wait: ({ untilMs }) => ports.wait(untilMs, () => machine.dispatch({ type: 'time', nowMs: ports.now() })),
  });

  async function keep(rows: ReadonlyMap<number, RowState>): Promise<boolean> {
    if (machine.isDisposed) return false;
    try {
      await ports.save(rows);
      return true;
    } catch {
      machine.dispatch({ type: 'unsaved', rows: [...rows.keys()] });
      return false;
    }
  }

  return machine;
}
