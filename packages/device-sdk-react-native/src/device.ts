import type { DeviceStatus, Prompt, SyncResult, VerificationResult } from '@svc/device-sdk-native';
import {
  configurationText,
  type DeviceConfiguration,
  readFault,
  readPromptEvent,
  readStatus,
  readStatusEvent,
  readSyncResult,
  readTakeBackOutcome,
  readVerificationResult,
} from './contract.ts';
import { errorOfNative, SvcDeviceError } from './device-error.ts';
import type { Spec } from './specs/NativeSvcDevice.ts';

/** Options of {@link Device.verifyLiveAsync}. */
export interface VerifyOptions {
  /** `alternative`: the person cannot turn the head, and the list's own alternative is taken. Default `asked`. */
  readonly headTurn?: 'asked' | 'alternative';
}

/** Ends a subscription. Calls after the first do nothing. */
export type Unsubscribe = () => void;

/**
 * A check-in device. Every method rejects with a {@link SvcDeviceError}: `disposed` after `dispose`, `message-invalid` if
 * the native side answers what the contract does not allow, else the failure that the native side tells.
 */
export interface Device {
  /** Syncs now and every five minutes while the app is in the foreground. */
  start(): Promise<void>;
  stop(): Promise<void>;
  syncAsync(): Promise<SyncResult>;
  /**
   * Verifies the person before the camera against the person of the ID. Needs a mounted `SvcCameraView` of this device.
   * Problems at the door are results; while another attempt runs it is `NoFace` with `attempt-in-progress`.
   * @param scannedId exactly as enrolled
   */
  verifyLiveAsync(scannedId: string, options?: VerifyOptions): Promise<VerificationResult>;
  /** Ends the running attempt, whose result has the reason `cancelled`; without one it does nothing. */
  cancel(): Promise<void>;
  /** Staff confirm the person after the prompt `staff-confirms`. */
  confirmByStaff(): Promise<void>;
  /** Forgets that this device let the person in. */
  takeBackAdmission(scannedId: string): Promise<'taken-back' | 'not-admitted'>;
  /** The last status that the native side told; the same object until the next one. */
  status(): DeviceStatus;
  onStatus(listener: (status: DeviceStatus) => void): Unsubscribe;
  /** The current instruction to the person; null between attempts. */
  prompt(): Prompt | null;
  /** Null: the attempt ended. */
  onPrompt(listener: (prompt: Prompt | null) => void): Unsubscribe;
  /** The engine stopped and is being restarted, or cannot be. */
  onFault(listener: (fault: SvcDeviceError) => void): Unsubscribe;
  /** Deletes this device's keys, then its data. Disposes of the device. */
  forget(): Promise<void>;
  /** Ends the attempt and releases camera and engine; stored data stays. Idempotent. */
  dispose(): Promise<void>;
}

/** The listeners of one kind of event. An error of one reaches the app's global handler and no other listener. */
class Listeners<T> {
  readonly #listeners = new Set<{ readonly call: (value: T) => void }>();

  add(call: (value: T) => void): Unsubscribe {
    if (typeof call !== 'function') throw new SvcDeviceError('message-invalid', 'the listener is no function');
    const entry = { call };
    this.#listeners.add(entry);
    return () => void this.#listeners.delete(entry);
  }

  tell(value: T): void {
    for (const { call } of [...this.#listeners]) {
      try {
        call(value);
      } catch (error) {
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }

  clear(): void {
    this.#listeners.clear();
  }
}

/** Attempts whose late prompts are dropped. */
const ENDED_ATTEMPTS = 8;

const numbers = new WeakMap<Device, number>();

/** The number by which the native view finds the device. @throws SvcDeviceError `message-invalid` */
export function numberOfDevice(device: Device): number {
  const number = numbers.get(device);
  if (number === undefined) throw new SvcDeviceError('message-invalid', 'not a device of createDevice');
  return number;
}

class NativeDevice implements Device {
  readonly #native: Spec;
  readonly #number: number;
  readonly #onReleased: () => void;
  readonly #statusListeners = new Listeners<DeviceStatus>();
  readonly #promptListeners = new Listeners<Prompt | null>();
  readonly #faultListeners = new Listeners<SvcDeviceError>();
  /** Rejects the calls that are still unanswered when the device is gone. */
  readonly #abandon = new Set<(error: SvcDeviceError) => void>();
  #status: DeviceStatus;
  #prompt: Prompt | null = null;
  #attempts = 0;
  #attempt: string | null = null;
  #endedAttempts: readonly string[] = [];
  #closing: Promise<void> | null = null;

  constructor(native: Spec, number: number, status: DeviceStatus, onReleased: () => void) {
    this.#native = native;
    this.#number = number;
    this.#status = status;
    this.#onReleased = onReleased;
    numbers.set(this, number);
  }

  start(): Promise<void> {
    return this.#call(() => this.#native.start(this.#number), nothing);
  }

  stop(): Promise<void> {
    return this.#call(() => this.#native.stop(this.#number), nothing);
  }

  syncAsync(): Promise<SyncResult> {
    return this.#call(() => this.#native.sync(this.#number), readSyncResult);
  }

  async verifyLiveAsync(scannedId: string, options: VerifyOptions = {}): Promise<VerificationResult> {
    checkId(scannedId);
    const headTurn = Object(options).headTurn ?? 'asked';
    if (headTurn !== 'asked' && headTurn !== 'alternative')
      throw new SvcDeviceError('message-invalid', "headTurn is neither 'asked' nor 'alternative'");
    this.#attempts += 1;
    try {
      return await this.#call(() => this.#native.verifyLive(this.#number, scannedId, headTurn), readVerificationResult);
    } finally {
      this.#attempts -= 1;
      if (this.#attempts === 0) this.#endAttempt();
    }
  }

  cancel(): Promise<void> {
    return this.#call(() => this.#native.cancel(this.#number), nothing);
  }

  confirmByStaff(): Promise<void> {
    return this.#call(() => this.#native.confirmByStaff(this.#number), nothing);
  }

  async takeBackAdmission(scannedId: string): Promise<'taken-back' | 'not-admitted'> {
    checkId(scannedId);
    return await this.#call(() => this.#native.takeBackAdmission(this.#number, scannedId), readTakeBackOutcome);
  }

  status(): DeviceStatus {
    return this.#status;
  }

  onStatus(listener: (status: DeviceStatus) => void): Unsubscribe {
    return this.#statusListeners.add(listener);
  }

  prompt(): Prompt | null {
    return this.#prompt;
  }

  onPrompt(listener: (prompt: Prompt | null) => void): Unsubscribe {
    return this.#promptListeners.add(listener);
  }

  onFault(listener: (fault: SvcDeviceError) => void): Unsubscribe {
    return this.#faultListeners.add(listener);
  }

  async forget(): Promise<void> {
    await this.#call(() => this.#native.forget(this.#number), nothing);
    await this.dispose();
  }

  dispose(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /** An event of this device's number. What the contract does not allow is dropped. */
  receive(name: string, body: string): void {
    if (this.#closing !== null) return;
    if (name === 'status') {
      const status = readStatusEvent(body);
      if (status === null) return;
      this.#status = status;
      this.#statusListeners.tell(status);
    } else if (name === 'prompt') {
      const event = readPromptEvent(body);
      if (event === null || this.#attempts === 0 || this.#endedAttempts.includes(event.attempt)) return;
      this.#attempt ??= event.attempt;
      if (event.attempt !== this.#attempt) return;
      if (event.prompt === null) this.#endAttempt();
      else this.#tellPrompt(event.prompt);
    } else if (name === 'fault') {
      const fault = readFault(body);
      if (fault !== null) this.#faultListeners.tell(new SvcDeviceError(fault.code, fault.message));
    }
  }

  #endAttempt(): void {
    if (this.#attempt !== null) this.#endedAttempts = [this.#attempt, ...this.#endedAttempts].slice(0, ENDED_ATTEMPTS);
    this.#attempt = null;
    this.#tellPrompt(null);
  }

  #tellPrompt(prompt: Prompt | null): void {
    if (prompt === null && this.#prompt === null) return;
    this.#prompt = prompt;
    this.#promptListeners.tell(prompt);
  }

  async #call<T>(run: () => Promise<unknown>, read: (answer: unknown) => T): Promise<T> {
    if (this.#closing !== null) throw new SvcDeviceError('disposed', 'the device was disposed');
    let abandon = (_error: SvcDeviceError): void => {};
    const abandoned = new Promise<never>((_resolve, reject) => {
      abandon = reject;
    });
    this.#abandon.add(abandon);
    try {
      return read(await Promise.race([run(), abandoned]));
    } catch (error) {
      throw errorOfNative(error);
    } finally {
      this.#abandon.delete(abandon);
    }
  }

  async #close(): Promise<void> {
    try {
      await this.#native.dispose(this.#number);
    } catch (error) {
      throw errorOfNative(error);
    } finally {
      for (const abandon of this.#abandon) abandon(new SvcDeviceError('disposed', 'the device was disposed'));
      this.#endAttempt();
      for (const listeners of [this.#statusListeners, this.#promptListeners, this.#faultListeners]) listeners.clear();
      this.#onReleased();
    }
  }
}

const nothing = (): void => {};

function checkId(scannedId: unknown): void {
  if (typeof scannedId !== 'string') throw new SvcDeviceError('message-invalid', 'the scanned ID is no string');
}

/** The device that is being created or is not disposed of; `device` is null until the native side has answered. */
interface DeviceSlot {
  readonly number: number;
  device: NativeDevice | null;
}

/** @returns `createDevice` over a native module; null: the app was built without it. One device at a time. */
export function createDeviceFactory(native: Spec | null) {
  let last = 0;
  let current: DeviceSlot | null = null;

  /** Events before the answer to `create` are older than the status in it. */
  function receive(event: unknown): void {
    const { device, name, body } = Object(event) as Record<string, unknown>;
    if (device !== current?.number || typeof name !== 'string' || typeof body !== 'string') return;
    current?.device?.receive(name, body);
  }

  return async function createDevice(configuration: DeviceConfiguration): Promise<Device> {
    if (native === null)
      throw new SvcDeviceError(
        'runtime-failed',
        'the native module SvcDevice is missing: build the app again after installing the package (Expo Go has none)',
      );
    const text = configurationText(configuration);
    if (current !== null) throw new SvcDeviceError('device-in-use', 'there is a device already: dispose of it first');
    last += 1;
    const slot: DeviceSlot = { number: last, device: null };
    current = slot;
    const subscription = native.onDeviceEvent(receive);
    const release = () => {
      subscription.remove();
      if (current === slot) current = null;
    };
    try {
      const status = readStatus(await native.create(slot.number, text));
      slot.device = new NativeDevice(native, slot.number, status, release);
      return slot.device;
    } catch (error) {
      // The caller never gets this device: nothing of it stays open.
      release();
      void (async () => native.dispose(slot.number))().catch(nothing);
      throw errorOfNative(error);
    }
  };
}
