import type { VerificationResult } from '@svc/device-sdk';
import { mayUnpair, type OpenFailure } from '../device/port.ts';
import { readDeviceToken } from '../pairing/pairing.ts';
import { adviceOf, alternativeOf, isToldOf, mayTakeBack, shownMs } from './screen.ts';
import type { Effect, KioskEvent, OpenStage, PairingProblem, StaffTask, Stage, State } from './state.ts';

export type Update = readonly [State, readonly Effect[]];

/** The next state and effects for an event. Pure. Events that the current stage does not accept change nothing. */
export function update(state: State, event: KioskEvent): Update {
  switch (event.type) {
    case 'status-changed': {
      // The PIN is asked for one alternative, and not for another.
      const withoutTurn = state.withoutTurn && alternativeOf(event.status) === alternativeOf(state.status);
      return [{ ...state, status: event.status, withoutTurn }, []];
    }
    // It takes a moment to store, in which the device screen may have been left.
    case 'pin-changed': {
      const stage = state.stage.name === 'device' ? { ...state.stage, pinFailed: false } : state.stage;
      return [{ ...state, stage, hasPin: event.hasPin }, []];
    }
    case 'reach-changed': {
      const isBack = event.reachable && state.status?.connection === 'offline';
      return [{ ...state, reachable: event.reachable }, isBack ? [{ type: 'sync-soon' }] : []];
    }
    case 'camera-changed':
      return [{ ...state, camera: event.problem }, []];
    default:
      return (within[state.stage.name] as (state: State, event: KioskEvent) => Update)(state, event);
  }
}

type InStage<N extends Stage['name']> = State & { readonly stage: Extract<Stage, { readonly name: N }> };
type StageHandlers = { readonly [N in Stage['name']]: (state: InStage<N>, event: KioskEvent) => Update };

const keep = (state: State): Update => [state, []];
const enter = (state: State, stage: Stage, ...effects: readonly Effect[]): Update => [{ ...state, stage }, effects];
const pairingStage = (problem: PairingProblem | null, more: { busy?: boolean; instead?: boolean } = {}) =>
  ({ name: 'pairing', busy: false, problem, instead: false, ...more }) satisfies Stage;

/** When the person was let in before, milliseconds since 1970. */
function letInBefore(result: VerificationResult): number | null {
  if (result.outcome === 'Match') return result.admission.alreadyAdmittedAtMs;
  return result.reason === 'already-let-in' ? result.alreadyAdmittedAtMs : null;
}

const stoppedStage = (failure: OpenFailure): OpenStage => ({ name: 'stopped', failure, unpairing: false });

/** What staff's task does once they may. The stage is the one that they came from. */
const perform: Readonly<Record<StaffTask, (state: State) => Update>> = {
  device: (state) => enter({ ...state, withoutTurn: false }, { name: 'device', unpairing: false }),
  unpair: (state) => (state.stage.name === 'stopped' ? enter(state, { ...state.stage, unpairing: true }) : keep(state)),
  'staff-in-view': (state) => enter(state, { name: 'opening' }, { type: 'promise-staff-in-view' }),
  'without-turn': (state) => keep({ ...state, withoutTurn: alternativeOf(state.status) !== 'none' }),
  'pair-offered': (state) =>
    state.stage.name === 'offered'
      ? enter(state, { ...state.stage, busy: true, problem: null }, { type: 'pair-with-held-token' })
      : keep(state),
  'take-back': (state) =>
    state.stage.name === 'result'
      ? enter(state, { ...state.stage, takeBack: 'busy' }, { type: 'take-back' })
      : keep(state),
};

/** Performs the task, after asking for the PIN if there is one. */
function asStaff(state: State & { readonly stage: OpenStage }, task: StaffTask): Update {
  if (!state.hasPin) return perform[task](state);
  const stage: Stage = { name: 'pin', task, back: state.stage, busy: false, refused: null };
  return enter(state, stage, { type: 'read-pin-wait' });
}

/** Asks whether to pair with the token. */
function offer(
  state: State,
  text: string,
  { paired, back }: { readonly paired: boolean; readonly back: OpenStage | null },
): Update {
  const read = readDeviceToken(text, state.page);
  if (read.ok) {
    const stage: Stage = { name: 'offered', busy: false, problem: null, paired, back };
    return enter(state, stage, { type: 'hold-token', deviceToken: read.token });
  }
  if (!paired || back?.name === 'pairing') return enter(state, pairingStage(read.problem, { instead: paired }));
  return back === null ? enter(state, { name: 'opening' }, { type: 'open-device' }) : enter(state, back);
}

function beginAttempt(state: State, scannedId: string): Update {
  const number = state.attempts + 1;
  return enter(
    { ...state, attempts: number, withoutTurn: false },
    { name: 'attempt', number, prompt: null },
    { type: 'verify', number, scannedId, withoutTurn: state.withoutTurn },
  );
}

function showResult(state: State, number: number, result: VerificationResult): Update {
  const letInAtMs = letInBefore(result);
  const advice = adviceOf(result.outcome, letInAtMs);
  const verdict = { outcome: result.outcome, reason: result.reason } as typeof result;
  return enter(
    state,
    {
      name: 'result',
      number,
      verdict,
      protections: result.protections,
      letInAtMs,
      checksIn: result.outcome === 'Match' && result.admission.recorded && isToldOf(state.status),
      takeBack: mayTakeBack(verdict) ? 'possible' : 'none',
    },
    { type: 'signal', advice },
    { type: 'return-later', number, afterMs: shownMs[advice] },
  );
}

const within: StageHandlers = {
  starting(state, event) {
    switch (event.type) {
      case 'pairing-read': {
        const read = { ...state, hasPin: event.hasPin };
        if (event.offered !== undefined) return offer(read, event.offered, { paired: event.paired, back: null });
        return event.paired
          ? enter(read, { name: 'opening' }, { type: 'open-device' })
          : enter(read, pairingStage(null));
      }
      case 'open-failed':
        return enter(state, stoppedStage(event.failure));
      default:
        return keep(state);
    }
  },

  pairing(state, event) {
    const { busy, instead } = state.stage;
    switch (event.type) {
      case 'token-offered':
        return busy ? keep(state) : offer(state, event.text, { paired: instead, back: state.stage });
      case 'token-entered': {
        if (busy) return keep(state);
        if (instead) return offer(state, event.text, { paired: true, back: state.stage });
        const read = readDeviceToken(event.text, state.page);
        if (!read.ok) return enter(state, pairingStage(read.problem));
        return enter(state, pairingStage(null, { busy: true }), { type: 'pair', deviceToken: read.token });
      }
      case 'pair-another-cancelled':
        return instead ? enter(state, { name: 'device', unpairing: false }) : keep(state);
      case 'staff-idle':
        return instead && state.hasPin ? enter(state, { name: 'door' }) : keep(state);
      case 'pairing-failed':
        return enter(state, pairingStage(event.problem));
      case 'open-failed':
        return enter(state, stoppedStage(event.failure));
      case 'paired':
        return enter(state, { name: 'opening' }, { type: 'open-device' });
      default:
        return keep(state);
    }
  },

  offered(state, event) {
    const { paired, back, busy } = state.stage;
    switch (event.type) {
      case 'offer-accepted':
        if (busy) return keep(state);
        // In staff's own stage they have given the PIN.
        return paired && back?.name !== 'pairing' && back?.name !== 'device'
          ? asStaff(state, 'pair-offered')
          : perform['pair-offered'](state);
      case 'offer-declined':
      case 'staff-idle': {
        if (busy || (event.type === 'staff-idle' && !state.hasPin)) return keep(state);
        const drop: Effect = { type: 'drop-token' };
        if (event.type === 'staff-idle' && back !== null) return enter(state, { name: 'door' }, drop);
        if (back !== null) return enter(state, back, drop);
        return paired
          ? enter(state, { name: 'opening' }, drop, { type: 'open-device' })
          : enter(state, pairingStage(null), drop);
      }
      case 'pairing-failed':
        return enter(state, { ...state.stage, busy: false, problem: event.problem });
      case 'paired':
        return enter({ ...state, status: null, hasPin: false }, { name: 'opening' }, { type: 'open-device' });
      case 'open-failed':
        return enter({ ...state, status: null }, stoppedStage(event.failure));
      default:
        return keep(state);
    }
  },

  pin(state, event) {
    const { task, back, busy } = state.stage;
    const leave = () =>
      // A result's time is over.
      enter(state, back.name === 'result' ? { name: 'door' } : back);
    switch (event.type) {
      case 'pin-entered':
        if (busy) return keep(state);
        return enter(state, { ...state.stage, busy: true, refused: null }, { type: 'check-pin', pin: event.pin });
      case 'pin-refused':
        return enter(state, { ...state.stage, busy: false, refused: event.refusal });
      case 'pin-accepted':
        return perform[task]({ ...state, stage: back });
      case 'pin-cancelled':
      case 'staff-idle':
        return busy ? keep(state) : leave();
      default:
        return keep(state);
    }
  },

  opening(state, event) {
    switch (event.type) {
      case 'device-opened': {
        // After pairing, the operator sees the device screen to check that it worked. A PIN is set there, so later.
        const isNew = event.status.lastSyncAtMs === null && event.status.erased === null && !state.hasPin;
        return enter(
          { ...state, status: event.status },
          isNew ? { name: 'device', unpairing: false } : { name: 'door' },
        );
      }
      case 'open-failed':
        return enter({ ...state, status: null }, stoppedStage(event.failure));
      case 'pairing-read':
        return event.paired ? keep(state) : enter({ ...state, hasPin: event.hasPin }, pairingStage(null));
      default:
        return keep(state);
    }
  },

  stopped(state, event) {
    switch (event.type) {
      case 'retry-pressed':
        return enter(state, { name: 'opening' }, { type: 'open-device' });
      case 'staff-in-view-confirmed':
        return state.stage.failure === 'passive-liveness-missing' ? asStaff(state, 'staff-in-view') : keep(state);
      case 'token-offered':
        return mayUnpair(state.stage.failure)
          ? offer(state, event.text, { paired: true, back: { ...state.stage, unpairing: false } })
          : keep(state);
      case 'unpair-pressed':
        return mayUnpair(state.stage.failure) ? asStaff(state, 'unpair') : keep(state);
      case 'unpair-cancelled':
        return enter(state, { ...state.stage, unpairing: false });
      case 'staff-idle':
        return state.hasPin ? enter(state, { ...state.stage, unpairing: false }) : keep(state);
      case 'unpair-confirmed':
        return state.stage.unpairing
          ? enter(state, { name: 'forgetting' }, { type: 'forget', final: event.final })
          : keep(state);
      default:
        return keep(state);
    }
  },

  door(state, event) {
    switch (event.type) {
      case 'scanned':
        return state.status?.ready === true ? beginAttempt(state, event.scannedId) : keep(state);
      case 'turn-chosen': {
        const alternative = alternativeOf(state.status);
        // Before the attempt: staff could not type a PIN within its ten seconds.
        if (event.withoutTurn && alternative === 'staff') return asStaff(state, 'without-turn');
        return keep({ ...state, withoutTurn: event.withoutTurn && alternative !== 'none' });
      }
      case 'device-pressed':
        return asStaff({ ...state, withoutTurn: false }, 'device');
      case 'token-offered':
        return offer({ ...state, withoutTurn: false }, event.text, { paired: true, back: state.stage });
      case 'sync-pressed':
        return [state, [{ type: 'sync' }]];
      case 'pin-not-changed':
        // Staff have left the device screen, and there is no PIN although they have just set one.
        return state.hasPin ? keep(state) : enter(state, { name: 'device', unpairing: false, pinFailed: true });
      case 'verified': {
        // Cancelled when the person was let in already: what is remembered is shown.
        const { number, result } = event;
        const isLetIn = result.outcome === 'Match' && result.admission.recorded;
        return isLetIn && number === state.attempts ? showResult(state, number, result) : keep(state);
      }
      default:
        return keep(state);
    }
  },

  device(state, event) {
    switch (event.type) {
      case 'door-pressed':
        return enter(state, { name: 'door' });
      case 'sync-pressed':
        return [state, [{ type: 'sync' }]];
      case 'unpair-pressed':
        return enter(state, { name: 'device', unpairing: true });
      case 'unpair-cancelled':
        return enter(state, { name: 'device', unpairing: false });
      case 'unpair-confirmed':
        return state.stage.unpairing
          ? enter(state, { name: 'forgetting' }, { type: 'forget', final: event.final })
          : keep(state);
      case 'pair-another-pressed':
        return enter(state, pairingStage(null, { instead: true }));
      case 'token-offered':
        return offer(state, event.text, { paired: true, back: { name: 'device', unpairing: false } });
      case 'pin-chosen':
        return [state, [{ type: 'set-pin', pin: event.pin }]];
      case 'pin-not-changed':
        return enter(state, { ...state.stage, pinFailed: true });
      case 'staff-idle':
        return state.hasPin ? enter(state, { name: 'door' }) : keep(state);
      default:
        return keep(state);
    }
  },

  attempt(state, event) {
    const { number } = state.stage;
    switch (event.type) {
      case 'prompted':
        return event.number === number ? enter(state, { ...state.stage, prompt: event.prompt }) : keep(state);
      case 'staff-confirm-pressed':
        return state.stage.prompt?.key === 'staff-confirms' ? [state, [{ type: 'confirm-by-staff' }]] : keep(state);
      case 'cancel-pressed':
        return enter(state, { name: 'door' }, { type: 'end-attempt' });
      case 'verified':
        return event.number === number ? showResult(state, number, event.result) : keep(state);
      default:
        return keep(state);
    }
  },

  result(state, event) {
    switch (event.type) {
      case 'next-pressed':
        return enter(state, { name: 'door' });
      case 'shown-long-enough':
        return event.number === state.stage.number && state.stage.takeBack !== 'busy'
          ? enter(state, { name: 'door' })
          : keep(state);
      case 'take-back-pressed':
        return state.stage.takeBack === 'possible' || state.stage.takeBack === 'failed'
          ? asStaff(state, 'take-back')
          : keep(state);
      case 'taken-back': {
        if (state.stage.takeBack !== 'busy') return keep(state);
        // Under a new number: the timer of the result itself does not end this.
        const number = state.attempts + 1;
        return enter(
          { ...state, attempts: number },
          { ...state.stage, number, takeBack: event.done ? 'done' : 'failed' },
          { type: 'return-later', number, afterMs: shownMs['call-staff'] },
        );
      }
      case 'scanned':
        return state.status?.ready === true ? beginAttempt(state, event.scannedId) : keep(state);
      default:
        return keep(state);
    }
  },

  forgetting(state, event) {
    switch (event.type) {
      case 'forgotten':
        return enter({ ...state, status: null, hasPin: false }, pairingStage(null));
      case 'open-failed':
        return enter({ ...state, status: null }, stoppedStage(event.failure));
      default:
        return keep(state);
    }
  },
};

/** Whether a reload would go unnoticed: no attempt runs, and the kiosk is not being operated. */
export function isIdle(state: State): boolean {
  const { stage } = state;
  return stage.name === 'door' || (stage.name === 'stopped' && !stage.unpairing);
}
