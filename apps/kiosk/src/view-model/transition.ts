import type { VerificationResult } from '@svc/device-sdk';
import type { Step } from '@svc/page-kit';
import { mayUnpair, type OpenFailure } from '../device/port.ts';
import { readDeviceToken } from '../pairing/pairing.ts';
import { adviceOf, alternativeOf, canUnpair, leavesList, mayConfirm, mayTakeBack, shownMs, waysOut } from './screen.ts';
import type { Effect, KioskEvent, OpenStage, PairingProblem, StaffTask, Stage, State } from './state.ts';

type KioskStep = Step<State, Effect>;

/** The next state and effects for an event. Pure. Events that the current stage does not accept change nothing. */
export function transition(state: State, event: KioskEvent): KioskStep {
  switch (event.type) {
    case 'status-changed': {
      // The PIN is asked for one alternative, and not for another.
      const withoutTurn = state.withoutTurn && alternativeOf(event.status) === alternativeOf(state.status);
      return keep({ ...state, status: event.status, withoutTurn });
    }
    // It takes a moment to store, in which the device screen may have been left.
    case 'pin-changed': {
      const stage = state.stage.name === 'device' ? { ...state.stage, pinFailed: false } : state.stage;
      return keep({ ...state, stage, hasPin: event.hasPin });
    }
    case 'reach-changed': {
      const isBack = event.reachable && state.status?.connection === 'offline';
      return keep({ ...state, reachable: event.reachable }, ...(isBack ? [{ type: 'sync-soon' } as const] : []));
    }
    case 'camera-changed':
      return keep({ ...state, camera: event.problem });
    case 'waits-changed':
      return keep({ ...state, waitsFor: event.waitsFor });
    case 'open-failed':
      return handle({ ...state, details: event.details ?? null }, event);
    default:
      return handle(state, event);
  }
}

function handle(state: State, event: KioskEvent): KioskStep {
  // The handlers of a stage take its own state, by construction.
  const handlers = stages[state.stage.name] as Readonly<
    Record<string, ((state: State, event: KioskEvent) => KioskStep) | undefined>
  >;
  return handlers[event.type]?.(state, event) ?? keep(state);
}

type InStage<N extends Stage['name']> = State & { readonly stage: Extract<Stage, { readonly name: N }> };
type On<T extends KioskEvent['type']> = Extract<KioskEvent, { readonly type: T }>;
/** Handlers of the events that a stage accepts. */
type Handlers<N extends Stage['name']> = {
  readonly [T in KioskEvent['type']]?: (state: InStage<N>, event: On<T>) => KioskStep;
};

const keep = (state: State, ...effects: readonly Effect[]): KioskStep => ({ state, effects });
const enter = (state: State, stage: Stage, ...effects: readonly Effect[]): KioskStep =>
  keep({ ...state, stage }, ...effects);
const pairingStage = (problem: PairingProblem | null, more: { busy?: boolean; back?: OpenStage | null } = {}) =>
  ({ name: 'pairing', busy: false, problem, back: null, ...more }) satisfies Stage;

/** When the person was let in before, milliseconds since 1970, and at which other door. */
function letInBefore(result: VerificationResult) {
  const told = result.outcome === 'Match' ? result.admission : result.reason === 'already-let-in' ? result : null;
  return { letInAtMs: told?.alreadyAdmittedAtMs ?? null, letInAt: told?.door ?? null };
}

const stoppedStage = (failure: OpenFailure): OpenStage => ({ name: 'stopped', failure, unpairing: false });

/** What staff's task does once they may. The stage is the one that they came from. */
const perform: Readonly<Record<StaffTask, (state: State) => KioskStep>> = {
  device: (state) => enter({ ...state, withoutTurn: false }, { name: 'device', unpairing: false }),
  unpair: (state) => (state.stage.name === 'stopped' ? enter(state, { ...state.stage, unpairing: true }) : keep(state)),
  'staff-in-view': (state) => enter(state, { name: 'opening' }, { type: 'promise-staff-in-view' }),
  'without-turn': (state) => keep({ ...state, withoutTurn: alternativeOf(state.status) !== 'none' }),
  'pair-offered': (state) =>
    state.stage.name === 'offered'
      ? enter(state, { ...state.stage, busy: true, problem: null }, { type: 'pair-with-held-token' })
      : keep(state),
  pair: (state) => (state.stage.name === 'pin' ? keep(state) : enter(state, pairingStage(null, { back: state.stage }))),
  'take-back': (state) =>
    state.stage.name === 'result'
      ? enter(state, { ...state.stage, takeBack: 'busy' }, { type: 'take-back' })
      : keep(state),
};

/** Performs the task, after asking for the PIN if there is one. */
function asStaff(state: State & { readonly stage: OpenStage }, task: StaffTask): KioskStep {
  if (!state.hasPin) return perform[task](state);
  const stage: Stage = { name: 'pin', task, back: state.stage, busy: false, refused: null };
  return enter(state, stage, { type: 'read-pin-wait' });
}

const offeredStage = (paired: boolean, back: OpenStage | null): Stage =>
  ({ name: 'offered', busy: false, problem: null, paired, back }) as const;

/** Asks whether to pair with the token. */
function offer(
  state: State,
  text: string,
  { paired, back }: { readonly paired: boolean; readonly back: OpenStage | null },
): KioskStep {
  const read = readDeviceToken(text, state.page);
  if (read.ok) {
    return enter(state, offeredStage(paired, back), { type: 'hold-token', deviceToken: read.token });
  }
  if (back === null) return enter(state, pairingStage(read.problem));
  if (back.name === 'pairing') return enter(state, { ...back, problem: read.problem });
  return enter(state, back);
}

function beginAttempt(state: State, scannedId: string): KioskStep {
  const number = state.attempts + 1;
  return enter(
    { ...state, attempts: number, withoutTurn: false },
    { name: 'attempt', number, prompt: null },
    { type: 'verify', number, scannedId, withoutTurn: state.withoutTurn },
  );
}

function showResult(state: State, number: number, result: VerificationResult): KioskStep {
  const { letInAtMs, letInAt } = letInBefore(result);
  const verdict = { outcome: result.outcome, reason: result.reason } as typeof result;
  const { protections } = result;
  const advice = adviceOf({ verdict, protections, letInAtMs });
  return enter(
    state,
    {
      name: 'result',
      number,
      verdict,
      protections,
      letInAtMs,
      letInAt,
      checksIn: result.outcome === 'Match' && result.admission.recorded && state.status?.checkIns.configured === true,
      // Another door has the admission.
      takeBack: mayTakeBack(verdict) && letInAt === null ? 'possible' : 'none',
    },
    { type: 'signal', advice },
    { type: 'return-later', number, afterMs: shownMs[advice] },
  );
}

const opening: Stage = { name: 'opening' };
const openDevice: Effect = { type: 'open-device' };
const door: OpenStage = { name: 'door' };
const notPaired = { paired: false, back: null };
const deviceStage: OpenStage = { name: 'device', unpairing: false };

const closed = (state: State, { failure }: On<'open-failed'>): KioskStep =>
  enter({ ...state, status: null }, stoppedStage(failure));

const toNewDevice = (state: State): KioskStep => enter({ ...state, status: null, hasPin: false }, opening, openDevice);

const unpair = (state: InStage<'stopped' | 'device'>, { final }: On<'unpair-confirmed'>): KioskStep =>
  state.stage.unpairing ? enter(state, { name: 'forgetting' }, { type: 'forget', final }) : keep(state);

const leaveUnconfirmed = (state: InStage<'confirming'>): KioskStep =>
  state.stage.busy ? keep(state) : enter(state, { name: 'forgetting' }, { type: 'forget', final: false });

const scan = (state: State, { scannedId }: On<'scanned'>): KioskStep =>
  state.status?.ready === true ? beginAttempt(state, scannedId) : keep(state);

const toDoorIfIdle = (state: State): KioskStep => (state.hasPin ? enter(state, door) : keep(state));

/** Staff have given the PIN to get to their own stages. */
const isStaffs = (stage: OpenStage | null): boolean => stage?.name === 'pairing' || stage?.name === 'device';

/** The stage from which staff have come to one of their own. */
function guestsStage(stage: OpenStage): OpenStage {
  if (stage.name === 'pairing') return stage.back === null ? stage : guestsStage(stage.back);
  return stage.name === 'device' ? door : stage;
}

export const stages: { readonly [N in Stage['name']]: Handlers<N> } = {
  starting: {
    'pairing-read'(state, { hasPin, offered, paired }) {
      const read = { ...state, hasPin };
      if (!paired) return offered === undefined ? enter(read, pairingStage(null)) : offer(read, offered, notPaired);
      const link = readDeviceToken(offered ?? '', state.page);
      if (!link.ok) return enter(read, opening, openDevice);
      const hold: Effect = { type: 'hold-token', deviceToken: link.token };
      return enter(read, { name: 'opening', thenOffer: true }, hold, openDevice);
    },
    'open-failed': (state, { failure }) => enter(state, stoppedStage(failure)),
  },

  pairing: {
    'token-offered': (state, { text }) =>
      state.stage.busy ? keep(state) : offer(state, text, { paired: state.stage.back !== null, back: state.stage }),
    'token-entered'(state, { text }) {
      const { busy, back } = state.stage;
      if (busy) return keep(state);
      if (leavesList(back !== null, state.status)) return offer(state, text, { paired: true, back: state.stage });
      const read = readDeviceToken(text, state.page);
      if (!read.ok) return enter(state, { ...state.stage, problem: read.problem });
      return enter(state, { ...state.stage, busy: true, problem: null }, { type: 'pair', deviceToken: read.token });
    },
    'pair-another-cancelled': (state) =>
      state.stage.busy ? keep(state) : enter(state, state.stage.back ?? state.stage),
    'staff-idle': (state) => (state.hasPin && !state.stage.busy ? enter(state, guestsStage(state.stage)) : keep(state)),
    'pairing-failed': (state, { problem }) => enter(state, { ...state.stage, busy: false, problem }),
    'open-failed': closed,
    paired: toNewDevice,
  },

  offered: {
    'offer-accepted'(state) {
      const { busy, paired, back } = state.stage;
      if (busy) return keep(state);
      return paired && !isStaffs(back) ? asStaff(state, 'pair-offered') : perform['pair-offered'](state);
    },
    'offer-declined': (state) =>
      state.stage.busy ? keep(state) : enter(state, state.stage.back ?? pairingStage(null), { type: 'drop-token' }),
    'staff-idle'(state) {
      const { busy, back } = state.stage;
      if (busy || !state.hasPin || back === null) return keep(state);
      return enter(state, guestsStage(back), { type: 'drop-token' });
    },
    'pairing-failed': (state, { problem }) => enter(state, { ...state.stage, busy: false, problem }),
    paired: toNewDevice,
    'open-failed': closed,
  },

  pin: {
    'pin-entered': (state, { pin }) =>
      state.stage.busy
        ? keep(state)
        : enter(state, { ...state.stage, busy: true, refused: null }, { type: 'check-pin', pin }),
    'pin-refused': (state, { refusal }) => enter(state, { ...state.stage, busy: false, refused: refusal }),
    'pin-accepted': (state) => perform[state.stage.task]({ ...state, stage: state.stage.back }),
    'pin-cancelled': leavePin,
    'staff-idle': leavePin,
  },

  opening: {
    'device-opened'(state, { status, confirmed }) {
      const next: OpenStage = confirmed ? door : { name: 'confirming', busy: false, failed: false };
      return enter({ ...state, status }, state.stage.thenOffer ? offeredStage(true, next) : next);
    },
    'open-failed'(state, { failure }) {
      const [next, stopped] = [{ ...state, status: null }, stoppedStage(failure)];
      if (state.stage.thenOffer && mayUnpair(failure)) return enter(next, offeredStage(true, stopped));
      return enter(next, stopped, { type: 'drop-token' });
    },
    'pairing-read': (state, { paired, hasPin }) =>
      paired ? keep(state) : enter({ ...state, hasPin }, pairingStage(null)),
  },

  confirming: {
    'sync-pressed': (state) => keep(state, { type: 'sync' }),
    'pairing-confirmed': (state, { pin }) =>
      state.stage.busy || !mayConfirm(state.status)
        ? keep(state)
        : enter(state, { name: 'confirming', busy: true, failed: false }, { type: 'confirm-pairing', pin }),
    'pairing-declined': leaveUnconfirmed,
    // While nobody has said yes, whoever comes by could set the PIN of a list that has come.
    'staff-idle': (state) => (mayConfirm(state.status) ? leaveUnconfirmed(state) : keep(state)),
    'token-offered': (state, { text }) =>
      state.stage.busy ? keep(state) : offer(state, text, { paired: true, back: state.stage }),
    'pin-not-changed': (state) => enter(state, { name: 'confirming', busy: false, failed: true }),
    // The device screen shows whether it is ready.
    'pairing-kept': (state) => enter({ ...state, hasPin: true }, deviceStage),
  },

  stopped: {
    'retry-pressed': (state) => enter(state, opening, openDevice),
    'staff-in-view-confirmed': (state) =>
      state.stage.failure === 'passive-liveness-missing' ? asStaff(state, 'staff-in-view') : keep(state),
    'token-offered': (state, { text }) =>
      mayUnpair(state.stage.failure)
        ? offer(state, text, { paired: state.stage.paired ?? true, back: { ...state.stage, unpairing: false } })
        : keep(state),
    'pair-again-pressed': (state) =>
      state.stage.failure === 'configuration-invalid' ? asStaff(state, 'pair') : keep(state),
    'nothing-paired': (state) => enter(state, { ...state.stage, paired: false }),
    'unpair-pressed': (state) => (canUnpair(state.stage) ? asStaff(state, 'unpair') : keep(state)),
    'unpair-cancelled': (state) => enter(state, { ...state.stage, unpairing: false }),
    'staff-idle': (state) => (state.hasPin ? enter(state, { ...state.stage, unpairing: false }) : keep(state)),
    'unpair-confirmed': unpair,
  },

  door: {
    scanned: scan,
    'turn-chosen'(state, { withoutTurn }) {
      const alternative = alternativeOf(state.status);
      // Before the attempt: staff could not type a PIN within its ten seconds.
      if (withoutTurn && alternative === 'staff') return asStaff(state, 'without-turn');
      return keep({ ...state, withoutTurn: withoutTurn && alternative !== 'none' });
    },
    'device-pressed': (state) => asStaff({ ...state, withoutTurn: false }, 'device'),
    'token-offered': (state, { text }) =>
      offer({ ...state, withoutTurn: false }, text, { paired: true, back: state.stage }),
    'sync-pressed': (state) => keep(state, { type: 'sync' }),
    'pair-again-pressed': (state) =>
      state.status !== null && waysOut(state.status).includes('pair-again') ? asStaff(state, 'pair') : keep(state),
    // Staff have left the device screen, and there is no PIN although they have just set one.
    'pin-not-changed': (state) =>
      state.hasPin ? keep(state) : enter(state, { name: 'device', unpairing: false, pinFailed: true }),
    // Cancelled when the person was let in already: what is remembered is shown.
    verified(state, { number, result }) {
      const isLetIn = result.outcome === 'Match' && result.admission.recorded;
      return isLetIn && number === state.attempts ? showResult(state, number, result) : keep(state);
    },
  },

  device: {
    'door-pressed': (state) => enter(state, door),
    'sync-pressed': (state) => keep(state, { type: 'sync' }),
    'unpair-pressed': (state) => enter(state, { name: 'device', unpairing: true }),
    'unpair-cancelled': (state) => enter(state, deviceStage),
    'unpair-confirmed': unpair,
    'pair-another-pressed': (state) => enter(state, pairingStage(null, { back: deviceStage })),
    'token-offered': (state, { text }) => offer(state, text, { paired: true, back: deviceStage }),
    'pin-chosen': (state, { pin }) => keep(state, { type: 'set-pin', pin }),
    'pin-not-changed': (state) => enter(state, { ...state.stage, pinFailed: true }),
    'staff-idle': toDoorIfIdle,
  },

  attempt: {
    prompted: (state, { number, prompt }) =>
      number === state.stage.number ? enter(state, { ...state.stage, prompt }) : keep(state),
    'staff-confirm-pressed': (state) =>
      state.stage.prompt?.key === 'staff-confirms' ? keep(state, { type: 'confirm-by-staff' }) : keep(state),
    'cancel-pressed': (state) => enter(state, door, { type: 'end-attempt' }),
    verified: (state, { number, result }) =>
      number === state.stage.number ? showResult(state, number, result) : keep(state),
  },

  result: {
    'next-pressed': (state) => enter(state, door),
    'shown-long-enough': (state, { number }) =>
      number === state.stage.number && state.stage.takeBack !== 'busy' ? enter(state, door) : keep(state),
    'take-back-pressed': (state) =>
      state.stage.takeBack === 'possible' || state.stage.takeBack === 'failed'
        ? asStaff(state, 'take-back')
        : keep(state),
    'taken-back'(state, { done }) {
      if (state.stage.takeBack !== 'busy') return keep(state);
      // Under a new number: the timer of the result itself does not end this.
      const number = state.attempts + 1;
      return enter(
        { ...state, attempts: number },
        { ...state.stage, number, takeBack: done ? 'done' : 'failed' },
        { type: 'return-later', number, afterMs: shownMs['call-staff'] },
      );
    },
    scanned: scan,
  },

  forgetting: {
    forgotten: (state) => enter({ ...state, status: null, hasPin: false }, pairingStage(null)),
    'open-failed': closed,
  },
};

/** Where the PIN was asked for; a result's time is over. */
function leavePin(state: InStage<'pin'>): KioskStep {
  const { back, busy } = state.stage;
  if (busy) return keep(state);
  return enter(state, back.name === 'result' ? door : back);
}

/** Whether a reload would go unnoticed: no attempt runs, and the kiosk is not being operated. */
export function isIdle(state: State): boolean {
  const { stage } = state;
  return stage.name === 'door' || (stage.name === 'stopped' && !stage.unpairing);
}
