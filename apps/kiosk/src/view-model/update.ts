import { mayUnpair, type OpenFailure } from '../device/port.ts';
import { readDeviceToken } from '../pairing/pairing.ts';
import { adviceFor, alternativeOf, shownMs } from './screen.ts';
import type { Effect, KioskEvent, Stage, State } from './state.ts';

export type Update = readonly [State, readonly Effect[]];

/** The next state and effects for an event. Pure. Events that the current stage does not accept change nothing. */
export function update(state: State, event: KioskEvent): Update {
  switch (event.type) {
    case 'status-changed':
      return [{ ...state, status: event.status }, []];
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
const pairingStage = (problem: Extract<Stage, { name: 'pairing' }>['problem'], busy = false): Stage => ({
  name: 'pairing',
  busy,
  problem,
});

const stoppedStage = (failure: OpenFailure): Stage => ({ name: 'stopped', failure, unpairing: false });

function beginAttempt(state: State, scannedId: string): Update {
  const number = state.attempts + 1;
  return enter(
    { ...state, attempts: number, withoutTurn: false },
    { name: 'attempt', number, prompt: null },
    { type: 'verify', number, scannedId, withoutTurn: state.withoutTurn },
  );
}

const within: StageHandlers = {
  starting(state, event) {
    switch (event.type) {
      case 'pairing-read':
        return event.paired
          ? enter(state, { name: 'opening' }, { type: 'open-device' })
          : enter(state, pairingStage(null));
      case 'open-failed':
        return enter(state, stoppedStage(event.failure));
      default:
        return keep(state);
    }
  },

  pairing(state, event) {
    switch (event.type) {
      case 'token-entered': {
        if (state.stage.busy) return keep(state);
        const read = readDeviceToken(event.text);
        if (!read.ok) return enter(state, pairingStage(read.problem));
        return enter(state, pairingStage(null, true), { type: 'pair', deviceToken: read.token });
      }
      case 'pairing-failed':
        return enter(state, pairingStage(event.problem));
      case 'paired':
        return enter(state, { name: 'opening' }, { type: 'open-device' });
      default:
        return keep(state);
    }
  },

  opening(state, event) {
    switch (event.type) {
      case 'device-opened': {
        // After pairing, the operator sees the device screen to check that it worked.
        const isNew = event.status.lastSyncAtMs === null && event.status.erased === null;
        return enter(
          { ...state, status: event.status },
          isNew ? { name: 'device', unpairing: false } : { name: 'door' },
        );
      }
      case 'open-failed':
        return enter({ ...state, status: null }, stoppedStage(event.failure));
      case 'pairing-read':
        return event.paired ? keep(state) : enter(state, pairingStage(null));
      default:
        return keep(state);
    }
  },

  stopped(state, event) {
    switch (event.type) {
      case 'retry-pressed':
        return enter(state, { name: 'opening' }, { type: 'open-device' });
      case 'staff-in-view-confirmed':
        if (state.stage.failure !== 'passive-liveness-missing') return keep(state);
        return enter(state, { name: 'opening' }, { type: 'promise-staff-in-view' });
      case 'unpair-pressed':
        return mayUnpair(state.stage.failure) ? enter(state, { ...state.stage, unpairing: true }) : keep(state);
      case 'unpair-cancelled':
        return enter(state, { ...state.stage, unpairing: false });
      case 'unpair-confirmed':
        return state.stage.unpairing ? enter(state, { name: 'forgetting' }, { type: 'forget' }) : keep(state);
      default:
        return keep(state);
    }
  },

  door(state, event) {
    switch (event.type) {
      case 'scanned':
        return state.status?.ready === true ? beginAttempt(state, event.scannedId) : keep(state);
      case 'turn-chosen':
        return keep({ ...state, withoutTurn: event.withoutTurn && alternativeOf(state.status) !== 'none' });
      case 'device-pressed':
        return enter({ ...state, withoutTurn: false }, { name: 'device', unpairing: false });
      case 'sync-pressed':
        return [state, [{ type: 'sync' }]];
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
        return state.stage.unpairing ? enter(state, { name: 'forgetting' }, { type: 'forget' }) : keep(state);
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
      case 'verified': {
        if (event.number !== number) return keep(state);
        const { result } = event;
        const advice = adviceFor[result.outcome];
        const verdict = { outcome: result.outcome, reason: result.reason } as typeof result;
        return enter(
          state,
          { name: 'result', number, verdict, protections: result.protections },
          { type: 'chime', tone: advice === 'let-in' ? 'let-in' : 'other' },
          { type: 'return-later', number, afterMs: shownMs[advice] },
        );
      }
      default:
        return keep(state);
    }
  },

  result(state, event) {
    switch (event.type) {
      case 'next-pressed':
        return enter(state, { name: 'door' });
      case 'shown-long-enough':
        return event.number === state.stage.number ? enter(state, { name: 'door' }) : keep(state);
      case 'scanned':
        return state.status?.ready === true ? beginAttempt(state, event.scannedId) : keep(state);
      default:
        return keep(state);
    }
  },

  forgetting(state, event) {
    switch (event.type) {
      case 'forgotten':
        return enter({ ...state, status: null }, pairingStage(null));
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
