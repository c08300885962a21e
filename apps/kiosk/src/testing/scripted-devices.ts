import type { DeviceStatus, VerificationResult } from '@svc/device-sdk';
import { type Device, type Devices, OpenError, type OpenFailure } from '../device/port.ts';
import type { Pairing } from '../pairing/pairing.ts';
import type { PairingStore } from '../pairing/pairing-store.ts';
import { readyStatus } from './sample-states.ts';

type Verify = Parameters<Device['verify']>[0];

/** Devices without models, cameras and stores: a test controls them and reads their calls. */
export class ScriptedDevices implements Devices {
  /** What happened, in order. */
  readonly calls: string[] = [];
  readonly opened: Pairing[] = [];
  failure: OpenFailure | null = null;
  forgetFails = false;
  verify: (asked: Verify) => Promise<VerificationResult> = () => new Promise(() => {});
  changeStatus: (status: DeviceStatus) => void = () => undefined;

  open(pairing: Pairing): Promise<Device> {
    this.opened.push(pairing);
    if (this.failure !== null) return Promise.reject(new OpenError(this.failure));
    return Promise.resolve({
      status: () => readyStatus,
      onStatus: (listener) => {
        this.changeStatus = listener;
        return () => undefined;
      },
      start: () => void this.calls.push('start'),
      sync: () => Promise.resolve({ ok: false, reason: 'offline' }),
      verify: (asked) => {
        this.calls.push(`verify ${asked.scannedId}${asked.withoutTurn ? ' without turn' : ''}`);
        return this.verify(asked);
      },
      confirmByStaff: () => void this.calls.push('confirm by staff'),
      close: () => {
        this.calls.push('close');
        return Promise.resolve();
      },
    });
  }

  forget(): Promise<void> {
    this.calls.push('forget');
    return this.forgetFails ? Promise.reject(new OpenError('storage-failed')) : Promise.resolve();
  }
}

/** A pairing store in memory. */
export class MemoryPairings implements PairingStore {
  stored: Pairing | 'leaving' | null;

  constructor(stored: Pairing | 'leaving' | null = null) {
    this.stored = stored;
  }

  read() {
    return Promise.resolve(this.stored);
  }

  write(pairing: Pairing) {
    this.stored = pairing;
    return Promise.resolve();
  }

  leave() {
    this.stored = 'leaving';
    return Promise.resolve();
  }

  clear() {
    this.stored = null;
    return Promise.resolve();
  }
}
