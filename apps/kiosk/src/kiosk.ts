import type { Prompt, RegionSettings } from '@svc/device-sdk';
import { byType, type EffectHandlers, Machine, tellIfSlow } from '@svc/page-kit';
import { detailsOf, mayUnpair, OpenError } from './device/port.ts';
import type { Device, Devices } from './device/web-devices.ts';
import { hashOfToken, type Pairing } from './pairing/pairing.ts';
import type { PairingStore } from './pairing/pairing-store.ts';
import type { StaffPin } from './pairing/staff-pin.ts';
import { type Advice, mayTakeBack } from './view-model/screen.ts';
import {
  type Effect,
  initialState,
  type KioskEvent,
  type KioskMachine,
  type State,
  type WaitsFor,
} from './view-model/state.ts';
import { transition } from './view-model/transition.ts';

export interface KioskParts {
  readonly devices: Devices;
  readonly pairings: PairingStore;
  readonly pin: StaffPin;
  /** Address of this page. */
  readonly page: string;
  /** The deployment that serves this page, read once, at pairing. @throws if it does not answer */
  readonly readDeployment: () => Promise<RegionSettings>;
  /** Whether the page has a passive check by now: a promise that staff watch is then not needed. */
  readonly hasPassiveCheck: boolean;
  /** Shows the person during an attempt. */
  readonly faceVideo: HTMLVideoElement;
  /** Sound and vibration for a result, if they are on. */
  readonly signal: (advice: Advice) => void;
  readonly later: (afterMs: number, action: () => void) => void;
}

/** Spreads the syncs of devices whose connection is back. */
const SYNC_WITHIN_MS = 20_000;

/** The screen of a refused person, or the question for the PIN on the way from there. */
function isRefusalShown({ stage }: State): boolean {
  const shown = stage.name === 'pin' ? stage.back : stage;
  return stage.name === 'attempt' || (shown.name === 'result' && shown.takeBack !== 'none');
}

/** What stands behind the screens: carries out the effects of the state machine. */
export class Kiosk {
  readonly machine: KioskMachine;
  readonly #parts: KioskParts;
  #device: Device | null = null;
  /** A token that the operator was asked about. */
  #heldToken: string | null = null;
  /** The ID of the refused person on the screen, until staff have dealt with it. */
  #refusedId: string | null = null;
  #attempt: { readonly cancel: AbortController; readonly ended: Promise<void> } | null = null;

  /** What the steps under way wait for, and how many of them take long. */
  #part: WaitsFor = 'storage';
  #slowSteps = 0;

  readonly #dispatch = (event: KioskEvent): void => this.machine.dispatch(event);
  readonly #effects: EffectHandlers<Effect> = {
    'open-device': () => this.#orStop(this.#openDevice()),
    pair: ({ deviceToken }) => this.#orStop(this.#pair(deviceToken)),
    'hold-token': ({ deviceToken }) => {
      this.#heldToken = deviceToken;
    },
    'drop-token': () => {
      this.#heldToken = null;
    },
    'pair-with-held-token': () => {
      if (this.#heldToken !== null) this.#orStop(this.#pair(this.#heldToken));
    },
    'promise-staff-in-view': () => this.#orStop(this.#promiseStaffInView()),
    forget: ({ final }) => this.#orStop(this.#forget(final).then(() => this.#dispatch({ type: 'forgotten' }))),
    sync: () => void this.#device?.sync(),
    'sync-soon': () => this.#parts.later(Math.random() * SYNC_WITHIN_MS, () => void this.#device?.sync()),
    verify: (effect) => this.#verify(effect),
    'confirm-by-staff': () => this.#device?.confirmByStaff(),
    'end-attempt': () => this.#attempt?.cancel.abort(),
    'return-later': ({ afterMs, number }) =>
      this.#parts.later(afterMs, () => this.#dispatch({ type: 'shown-long-enough', number })),
    signal: ({ advice }) => this.#parts.signal(advice),
    'take-back': () => void this.#watched(this.#takeBack()),
    'read-pin-wait': () => this.#orStop(this.#readPinWait()),
    'check-pin': ({ pin }) => void this.#watched(this.#checkPin(pin)),
    'set-pin': ({ pin }) => void this.#watched(this.#setPin(pin)),
    'confirm-pairing': ({ pin }) => void this.#watched(this.#confirmPairing(pin)),
  };

  constructor(parts: KioskParts) {
    this.#parts = parts;
    const initial = { ...initialState, page: parts.page };
    this.machine = new Machine({ initial, transition, carryOut: byType(this.#effects) });
    this.machine.subscribe((state) => {
      if (!isRefusalShown(state)) this.#refusedId = null;
    });
  }

  /**
   * Reads the stored pairing and continues from there.
   * @param offered the token of a pairing link
   */
  start(offered: string | null = null): void {
    this.#orStop(this.#readPairing(offered));
  }

  /** Whether the service can be reached now; null without a device. */
  async reach(signal: AbortSignal): Promise<boolean | null> {
    return this.#device === null ? null : this.#device.reach(signal);
  }

  /** A step without which the kiosk cannot go on. */
  #orStop(step: Promise<void>): void {
    this.#watched(step).catch(async (error: unknown) => {
      const known = error instanceof OpenError ? error : new OpenError('storage-failed', detailsOf(error));
      this.#dispatch({ type: 'open-failed', failure: known.failure, details: known.details });
      // Told later, as the store may never answer. What cannot be read may be paired.
      const stored = await this.#parts.pairings.read().catch(() => 'unknown');
      if (stored === null) this.#dispatch({ type: 'nothing-paired' });
    });
  }

  /** Says what a step waits for, if that takes long. */
  #watched(step: Promise<void>): Promise<void> {
    return tellIfSlow(step, (isSlow) => {
      this.#slowSteps += isSlow ? 1 : -1;
      this.#tellWaits();
    });
  }

  #tellWaits(): void {
    const waitsFor = this.#slowSteps > 0 ? this.#part : null;
    if (waitsFor !== this.machine.state.waitsFor) this.#dispatch({ type: 'waits-changed', waitsFor });
  }

  readonly #enter = (part: WaitsFor): void => {
    this.#part = part;
    this.#tellWaits();
  };

  async #readPairing(offered: string | null): Promise<void> {
    // Before anything else can fail, so that a failed start opens nothing that is staff's.
    await this.#readPin();
    const stored = await this.#storedPairing();
    const hasPin = stored !== null && (await this.#parts.pin.isSet());
    const isNews = offered !== null && offered !== stored?.deviceToken;
    this.#dispatch({ type: 'pairing-read', paired: stored !== null, hasPin, ...(isNews ? { offered } : {}) });
  }

  /** Finishes an unpairing that a power cut interrupted. */
  async #storedPairing(): Promise<Pairing | null> {
    const { devices, pairings } = this.#parts;
    const stored = await pairings.read();
    if (stored !== 'leaving') return stored;
    await devices.forget({ keepDeviceKey: (await pairings.keptFor()) !== null });
    await pairings.clear();
    return null;
  }

  async #openDevice(): Promise<void> {
    await this.#readPin();
    // Still open if it could not be unpaired.
    await this.#closeDevice();
    const pairing = await this.#storedPairing();
    if (pairing === null) return this.#dispatch({ type: 'pairing-read', paired: false, hasPin: false });
    const { devices, hasPassiveCheck } = this.#parts;
    const staffInView = pairing.staffInView && !hasPassiveCheck;
    const device = await devices.open({ ...pairing, staffInView }, this.#enter).finally(() => this.#enter('storage'));
    this.#device = device;
    device.onStatus((status) => this.#dispatch({ type: 'status-changed', status }));
    device.start();
    const confirmed = pairing.confirmed !== false;
    this.#dispatch({ type: 'device-opened', status: device.status(), confirmed });
  }

  async #closeDevice(): Promise<void> {
    await this.#device?.close();
    this.#device = null;
  }

  async #pair(deviceToken: string): Promise<void> {
    const { devices, pairings, readDeployment } = this.#parts;
    const region = await readDeployment().catch(() => null);
    if (region === null) return this.#dispatch({ type: 'pairing-failed', problem: 'service-unreachable' });
    let wasPaired = false;
    try {
      const before = await this.#storedPairing();
      wasPaired = before !== null;
      if (before !== null) await this.#forget(before.deviceToken !== deviceToken);
      const keptFor = await pairings.keptFor();
      // A key pair belongs to one token: under another one the service would see the same device twice.
      if (keptFor !== null && keptFor !== (await hashOfToken(deviceToken))) {
        await devices.forget({ keepDeviceKey: false });
      }
      await pairings.write({ deviceToken, region, staffInView: false, confirmed: false });
    } catch (error) {
      // The former pairing may be gone by now.
      if (wasPaired || (error instanceof OpenError && error.failure !== 'storage-failed')) throw error;
      return this.#dispatch({ type: 'pairing-failed', problem: 'storage-failed' });
    }
    this.#heldToken = null;
    this.#dispatch({ type: 'paired' });
  }

  async #promiseStaffInView(): Promise<void> {
    const pairing = await this.#storedPairing();
    if (pairing !== null) await this.#parts.pairings.write({ ...pairing, staffInView: true });
    await this.#openDevice();
  }

  /** @param final the device's own key pair is deleted too */
  async #forget(final: boolean): Promise<void> {
    const { pairings } = this.#parts;
    this.#attempt?.cancel.abort();
    const stored = await pairings.read().catch(() => null);
    const pairing = stored === 'leaving' ? null : stored;
    await pairings.leave(final || pairing === null ? null : await hashOfToken(pairing.deviceToken));
    await this.#closeDevice();
    await this.#storedPairing().catch(async (error: unknown) => {
      // Another tab has the device: nothing of it was deleted, and it goes on with its list.
      if (pairing !== null && error instanceof OpenError && !mayUnpair(error.failure)) await pairings.write(pairing);
      throw error;
    });
  }

  /** Begins once the attempt before it has ended. */
  #verify({ number, scannedId, withoutTurn }: Extract<Effect, { type: 'verify' }>): void {
    const cancel = new AbortController();
    const { signal } = cancel;
    const previous = this.#attempt?.ended;
    const verify = async () => {
      await previous;
      if (this.#device === null || signal.aborted) return;
      const onPrompt = (prompt: Prompt) => this.#dispatch({ type: 'prompted', number, prompt });
      const video = this.#parts.faceVideo;
      const result = await this.#device.verify({ scannedId, withoutTurn, video, onPrompt, signal });
      if (mayTakeBack(result)) this.#refusedId = scannedId;
      this.#dispatch({ type: 'verified', number, result });
    };
    this.#attempt = { cancel, ended: verify() };
  }

  async #takeBack(): Promise<void> {
    this.#dispatch({ type: 'taken-back', done: await this.#isTakenBack().catch(() => false) });
  }

  /** “Not admitted” is as good: another try of staff's was first. */
  async #isTakenBack(): Promise<boolean> {
    if (this.#refusedId === null || this.#device === null) return false;
    await this.#device.takeBack(this.#refusedId);
    return true;
  }

  async #readPin(): Promise<void> {
    this.#parts.devices.require();
    this.#dispatch({ type: 'pin-changed', hasPin: await this.#parts.pin.isSet() });
  }

  async #readPinWait(): Promise<void> {
    const waitMs = await this.#parts.pin.waitMs();
    if (waitMs > 0) this.#dispatch({ type: 'pin-refused', refusal: { problem: 'wait', waitMs } });
  }

  async #checkPin(pin: string): Promise<void> {
    try {
      const checked = await this.#parts.pin.check(pin);
      if (checked.ok) return this.#dispatch({ type: 'pin-accepted' });
      this.#dispatch({ type: 'pin-refused', refusal: { problem: 'wrong', waitMs: checked.waitMs } });
    } catch {
      this.#dispatch({ type: 'pin-refused', refusal: { problem: 'storage-failed', waitMs: 0 } });
    }
  }

  async #confirmPairing(pin: string): Promise<void> {
    try {
      const pairing = await this.#storedPairing();
      await this.#parts.pin.set(pin);
      // Last: an interrupted confirmation is asked for again.
      if (pairing !== null) await this.#parts.pairings.write({ ...pairing, confirmed: true });
      this.#dispatch({ type: 'pairing-kept' });
    } catch {
      this.#dispatch({ type: 'pin-not-changed' });
    }
  }

  async #setPin(pin: string): Promise<void> {
    try {
      await this.#parts.pin.set(pin);
      this.#dispatch({ type: 'pin-changed', hasPin: true });
    } catch {
      this.#dispatch({ type: 'pin-not-changed' });
    }
  }
}
