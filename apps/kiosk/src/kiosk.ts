import type { RegionSettings } from '@svc/device-sdk';
import { type Device, type Devices, OpenError } from './device/port.ts';
import { hashOfToken, type Pairing } from './pairing/pairing.ts';
import type { PairingStore } from './pairing/pairing-store.ts';
import type { StaffPin } from './pairing/staff-pin.ts';
import { type Advice, mayTakeBack } from './view-model/screen.ts';
import { type Effect, initialState, type KioskEvent, type State } from './view-model/state.ts';
import { update } from './view-model/update.ts';

export interface KioskParts {
  readonly devices: Devices;
  readonly pairings: PairingStore;
  readonly pin: StaffPin;
  /** Address of this page. */
  readonly page: string;
  /** The deployment that serves this page, read once, at pairing. @throws if it does not answer */
  readonly readDeployment: () => Promise<RegionSettings>;
  /** Shows the person during an attempt. */
  readonly faceVideo: HTMLVideoElement;
  /** Sound and vibration for a result, if they are on. */
  readonly signal: (advice: Advice) => void;
  readonly later: (afterMs: number, action: () => void) => void;
}

/** Spreads the syncs of devices whose connection is back. */
const SYNC_WITHIN_MS = 20_000;

/** The kiosk's logic: takes events, runs their effects, and notifies listeners. */
export interface Kiosk {
  state(): State;
  subscribe(listener: (state: State) => void): () => void;
  dispatch(event: KioskEvent): void;
  /**
   * Reads the stored pairing and continues from there.
   * @param offered the token of a pairing link
   */
  start(offered?: string | null): void;
  /** Whether the service can be reached now; null without a device. */
  reach(signal: AbortSignal): Promise<boolean | null>;
}

export function createKiosk(parts: KioskParts): Kiosk {
  const { devices, pairings } = parts;
  let state: State = { ...initialState, page: parts.page };
  let device: Device | null = null;
  /** A token that the operator was asked about. */
  let held: string | null = null;
  /** The ID of the refused person on the screen, until staff have dealt with it. */
  let refused: string | null = null;
  let attempt: { readonly cancel: AbortController; readonly ended: Promise<void> } | null = null;
  const listeners = new Set<(state: State) => void>();

  function dispatch(event: KioskEvent): void {
    const [next, effects] = update(state, event);
    state = next;
    if (!isRefusalShown(next)) refused = null;
    for (const listener of listeners) listener(state);
    for (const effect of effects) carryOut(effect);
  }

  function carryOut(effect: Effect): void {
    switch (effect.type) {
      case 'open-device':
        void openDevice().catch(stopped);
        break;
      case 'pair':
        void pair(effect.deviceToken).catch(stopped);
        break;
      case 'promise-staff-in-view':
        void promiseStaffInView().catch(stopped);
        break;
      case 'sync':
        void device?.sync();
        break;
      case 'sync-soon':
        parts.later(Math.random() * SYNC_WITHIN_MS, () => void device?.sync());
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
      case 'signal':
        parts.signal(effect.advice);
        break;
      case 'forget':
        void forget(effect.final)
          .then(() => dispatch({ type: 'forgotten' }))
          .catch(stopped);
        break;
      case 'hold-token':
        held = effect.deviceToken;
        break;
      case 'drop-token':
        held = null;
        break;
      case 'pair-with-held-token':
        if (held !== null) void pair(held).catch(stopped);
        break;
      case 'read-pin-wait':
        void parts.pin
          .waitMs()
          .then((waitMs) => {
            if (waitMs > 0) dispatch({ type: 'pin-refused', refusal: { problem: 'wait', waitMs } });
          })
          .catch(stopped);
        break;
      case 'check-pin':
        void parts.pin
          .check(effect.pin)
          .then((checked) =>
            dispatch(
              checked.ok
                ? { type: 'pin-accepted' }
                : { type: 'pin-refused', refusal: { problem: 'wrong', waitMs: checked.waitMs } },
            ),
          )
          .catch(() => dispatch({ type: 'pin-refused', refusal: { problem: 'storage-failed', waitMs: 0 } }));
        break;
      case 'set-pin':
        void parts.pin
          .set(effect.pin)
          .then(() => dispatch({ type: 'pin-changed', hasPin: effect.pin !== null }))
          .catch(() => dispatch({ type: 'pin-not-changed' }));
        break;
      case 'take-back':
        void takeBack();
        break;
    }
  }

  /** The screen of a refused person, or the question for the PIN on the way from there. */
  function isRefusalShown({ stage }: State): boolean {
    const shown = stage.name === 'pin' ? stage.back : stage;
    return stage.name === 'attempt' || (shown.name === 'result' && shown.takeBack !== 'none');
  }

  const stopped = (error: unknown) =>
    dispatch({ type: 'open-failed', failure: error instanceof OpenError ? error.failure : 'storage-failed' });

  /** Finishes an unpairing that a power cut interrupted. */
  async function readPairing(): Promise<Pairing | null> {
    const stored = await pairings.read();
    if (stored !== 'leaving') return stored;
    await devices.forget({ keepDeviceKey: (await pairings.keptFor()) !== null });
    await pairings.clear();
    return null;
  }

  const readPin = async () => dispatch({ type: 'pin-changed', hasPin: await parts.pin.isSet() });

  async function openDevice(): Promise<void> {
    await readPin();
    // Still open if it could not be unpaired.
    await device?.close();
    device = null;
    const pairing = await readPairing();
    if (pairing === null) {
      dispatch({ type: 'pairing-read', paired: false, hasPin: false });
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
    let wasPaired = false;
    try {
      const before = await readPairing();
      wasPaired = before !== null;
      if (before !== null) await forget(before.deviceToken !== deviceToken);
      const keptFor = await pairings.keptFor();
      // A key pair belongs to one token: under another one the service would see the same device twice.
      if (keptFor !== null && keptFor !== (await hashOfToken(deviceToken))) {
        await devices.forget({ keepDeviceKey: false });
      }
      await pairings.write({ deviceToken, region, staffInView: false });
    } catch (error) {
      // The former pairing may be gone by now.
      if (wasPaired || (error instanceof OpenError && error.failure !== 'storage-failed')) throw error;
      dispatch({ type: 'pairing-failed', problem: 'storage-failed' });
      return;
    }
    held = null;
    dispatch({ type: 'paired' });
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
      if (mayTakeBack(result)) refused = scannedId;
      dispatch({ type: 'verified', number, result });
    })();
    attempt = { cancel, ended };
    await ended;
  }

  /** @param final the device's own key pair is deleted too */
  async function forget(final: boolean): Promise<void> {
    attempt?.cancel.abort();
    const stored = final ? null : await pairings.read().catch(() => null);
    const keptFor = stored === null || stored === 'leaving' ? null : await hashOfToken(stored.deviceToken);
    await pairings.leave(keptFor);
    await device?.close();
    device = null;
    await readPairing();
  }

  async function takeBack(): Promise<void> {
    if (refused === null || device === null) return dispatch({ type: 'taken-back', done: false });
    // «Not admitted» is as good: another try of staff's was first.
    const done = await device.takeBack(refused).then(
      () => true,
      () => false,
    );
    dispatch({ type: 'taken-back', done });
  }

  return {
    state: () => state,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    dispatch,
    reach: async (signal) => (device === null ? null : device.reach(signal)),
    start(offered = null) {
      const read = async () => {
        // Before anything else can fail, so that a failed start opens nothing that is staff's.
        await readPin();
        const stored = await readPairing();
        const hasPin = stored !== null && (await parts.pin.isSet());
        const isNews = offered !== null && offered !== stored?.deviceToken;
        dispatch({ type: 'pairing-read', paired: stored !== null, hasPin, ...(isNews ? { offered } : {}) });
      };
      void read().catch(stopped);
    },
  };
}
