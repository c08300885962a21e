import type { DeviceStatus, VerificationResult } from '@svc/device-sdk';
import { OpenError, type OpenFailure } from '../device/port.ts';
import type { Device, Devices } from '../device/web-devices.ts';
import type { Pairing } from '../pairing/pairing.ts';
import type { PairingStore } from '../pairing/pairing-store.ts';
import { noTries, type PinTries, type PinVerifier } from '../pairing/staff-pin.ts';
import { readyStatus } from './sample-states.ts';

type Verify = Parameters<Device['verify']>[0];

/** Devices without models, cameras and stores: a test controls them and reads their calls. */
export class ScriptedDevices implements Devices {
  /** What happened, in order. */
  readonly calls: string[] = [];
  readonly opened: Pairing[] = [];
  failure: OpenFailure | null = null;
  forgetFailure: OpenFailure | null = null;
  refusal: OpenFailure | null = null;
  /** Resolves once the engine runs. */
  engine: Promise<unknown> = Promise.resolve();
  verify: (asked: Verify) => Promise<VerificationResult> = () => new Promise(() => {});
  takeBack: Device['takeBack'] = () => Promise.resolve();
  changeStatus: (status: DeviceStatus) => void = () => undefined;

  require(): void {
    if (this.refusal !== null) throw new OpenError(this.refusal);
  }

  async open(pairing: Pairing, onPart: Parameters<Devices['open']>[1]): Promise<Device> {
    this.opened.push(pairing);
    if (this.failure !== null) throw new OpenError(this.failure);
    onPart('engine');
    await this.engine;
    return {
      status: () => readyStatus,
      onStatus: (listener) => {
        this.changeStatus = listener;
      },
      start: () => void this.calls.push('start'),
      sync: () => Promise.resolve(),
      reach: () => Promise.resolve(true),
      verify: (asked) => {
        this.calls.push(`verify ${asked.scannedId}${asked.withoutTurn ? ' without turn' : ''}`);
        return this.verify(asked);
      },
      confirmByStaff: () => void this.calls.push('confirm by staff'),
      takeBack: (scannedId) => {
        this.calls.push(`take back ${scannedId}`);
        return this.takeBack(scannedId);
      },
      close: () => {
        this.calls.push('close');
        return Promise.resolve();
      },
    };
  }

  forget({ keepDeviceKey }: { readonly keepDeviceKey: boolean }): Promise<void> {
    this.calls.push(keepDeviceKey ? 'forget but the key' : 'forget');
    return this.forgetFailure === null ? Promise.resolve() : Promise.reject(new OpenError(this.forgetFailure));
  }
}

/** A pairing store in memory. */
export class MemoryPairings implements PairingStore {
  stored: Pairing | 'leaving' | null;
  kept: string | null = null;
  pin: PinVerifier | null = null;
  tries: PinTries = noTries;

  constructor(stored: Pairing | 'leaving' | null = null) {
    this.stored = stored;
  }

  read() {
    return Promise.resolve(this.stored);
  }

  write(pairing: Pairing) {
    this.stored = pairing;
    this.kept = null;
    return Promise.resolve();
  }

  leave(keptFor: string | null) {
    this.stored = 'leaving';
    this.kept = keptFor;
    return Promise.resolve();
  }

  keptFor() {
    return Promise.resolve(this.kept);
  }

  clear() {
    this.stored = null;
    this.pin = null;
    this.tries = noTries;
    return Promise.resolve();
  }

  readPin() {
    return Promise.resolve(this.pin);
  }

  writePin(pin: PinVerifier) {
    this.pin = pin;
    this.tries = noTries;
    return Promise.resolve();
  }

  changeTries(next: (tries: PinTries) => PinTries) {
    this.tries = next(this.tries);
    return Promise.resolve(this.tries);
  }
}
