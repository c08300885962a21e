import type { RegionSettings } from '@svc/device-sdk';
import { type Device, type Devices, OpenError } from './device/port.ts';
import type { Pairing } from './pairing/pairing.ts';
import type { PairingStore } from './pairing/pairing-store.ts';
import { type Effect, initialState, type KioskEvent, type State } from './view-model/state.ts';
import { update } from './view-model/update.ts';

export interface KioskParts {
  readonly devices: Devices;
  readonly pairings: PairingStore;
  /** The deployment that serves this page, read once, at pairing. @throws if it does not answer */
  readonly readDeployment: () => Promise<RegionSettings>;
  /** Shows the person during an attempt. */
  readonly faceVideo: HTMLVideoElement;
  readonly chime: (tone: 'let-in' | 'other') => void;
  readonly later: (afterMs: number, action: () => void) => void;
}

/** The kiosk's logic: takes events, runs their effects, and notifies listeners. */
export interface Kiosk {
  state(): State;
  subscribe(listener: (state: State) => void): () => void;
  dispatch(event: KioskEvent): void;
  /** Reads the stored pairing and continues from there. */
  start(): void;
}

export function createKiosk(parts: KioskParts): Kiosk {
  const { devices, pairings } = parts;
  let state = initialState;
  let device: Device | null = null;
  let attempt: { readonly cancel: AbortController; readonly ended: Promise<void> } | null = null;
  const listeners = new Set<(state: State) => void>();

  function dispatch(event: KioskEvent): void {
    const [next, effects] = update(state, event);
    state = next;
    for (const listener of listeners) listener(state);
    for (const effect of effects) carryOut(effect);
  }

  function carryOut(effect: Effect): void {
    switch (effect.type) {
      case 'open-device':
        void openDevice().catch(stopped);
        break;
      case 'pair':
        void pair(effect.deviceToken);
        break;
      case 'promise-staff-in-view':
        void promiseStaffInView().catch(stopped);
        break;
      case 'sync':
        void device?.sync();
        break;
      case 'verify':
        void verify(effect);
        break;
      case 'confirm-by-staff':
        device?.confirmByStaff();
        break;
      case 'end-attempt':
        attempt?.cancel.abort();
        break;
      case 'return-later':
        parts.later(effect.afterMs, () => dispatch({ type: 'shown-long-enough', number: effect.number }));
        break;
      case 'chime':
        parts.chime(effect.tone);
        break;
      case 'forget':
        void forget().catch(stopped);
        break;
    }
  }

  const stopped = (error: unknown) =>
    dispatch({ type: 'open-failed', failure: error instanceof OpenError ? error.failure : 'storage-failed' });

  /** Finishes an unpairing that a power cut interrupted. */
  async function readPairing(): Promise<Pairing | null> {
    const stored = await pairings.read();
    if (stored !== 'leaving') return stored;
    await devices.forget();
    await pairings.clear();
    return null;
  }

  async function openDevice(): Promise<void> {
    const pairing = await readPairing();
    if (pairing === null) {
      dispatch({ type: 'pairing-read', paired: false });
      return;
    }
    const opened = await devices.open(pairing);
    device = opened;
    opened.onStatus((status) => dispatch({ type: 'status-changed', status }));
    opened.start();
    dispatch({ type: 'device-opened', status: opened.status() });
  }

  async function pair(deviceToken: string): Promise<void> {
    const region = await parts.readDeployment().catch(() => null);
    if (region === null) {
      dispatch({ type: 'pairing-failed', problem: 'service-unreachable' });
      return;
    }
    await pairings.write({ deviceToken, region, staffInView: false }).then(
      () => dispatch({ type: 'paired' }),
      () => dispatch({ type: 'pairing-failed', problem: 'storage-failed' }),
    );
  }

  async function promiseStaffInView(): Promise<void> {
    const pairing = await readPairing();
    if (pairing !== null) await pairings.write({ ...pairing, staffInView: true });
    await openDevice();
  }

  async function verify({ number, scannedId, withoutTurn }: Extract<Effect, { type: 'verify' }>): Promise<void> {
    const cancel = new AbortController();
    const previous = attempt?.ended;
    const ended = (async () => {
      await previous;
      if (device === null || cancel.signal.aborted) return;
      const onPrompt = (prompt: Parameters<Parameters<Device['verify']>[0]['onPrompt']>[0]) =>
        dispatch({ type: 'prompted', number, prompt });
      const asked = { scannedId, withoutTurn, video: parts.faceVideo, onPrompt, signal: cancel.signal };
      const result = await device.verify(asked);
      dispatch({ type: 'verified', number, result });
    })();
    attempt = { cancel, ended };
    await ended;
  }

  async function forget(): Promise<void> {
    attempt?.cancel.abort();
    await pairings.leave();
    await device?.close();
    device = null;
    await readPairing();
    dispatch({ type: 'forgotten' });
  }

  return {
    state: () => state,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    dispatch,
    start() {
      void pairings
        .read()
        .then((stored) => {
          if (stored === 'leaving') return openDevice();
          dispatch({ type: 'pairing-read', paired: stored !== null });
          return undefined;
        })
        .catch(stopped);
    },
  };
}
