import type { DeviceStatus, Prompt, SyncResult, VerificationResult } from '@svc/device-sdk-native';
import {
  bodyOfConfiguration,
  type DeviceConfiguration,
  type DeviceEvent,
  readEvent,
  readStatus,
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
 * A check-in device. It syncs by itself: at once, and every five minutes while the app is in the foreground. Every method
 * rejects with a {@link SvcDeviceError}: `disposed` after the device has ended, `message-invalid` if the native side
 * answers what the contract does not allow, else the failure that the native side tells.
 */
export interface Device {
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
  /** Deletes this device's keys, then its data. Ends the device, also if that fails: create it anew to try again. */
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

/** How the native side is asked: with a call's name and body, for what a reader makes of the answer. */
type Ask = <T>(name: string, body: object, read: (answer: unknown) => T) => Promise<T>;

class NativeDevice implements Device {
  readonly #ask: Ask;
  readonly #onEnded: () => void;
  readonly #statusListeners = new Listeners<DeviceStatus>();
  readonly #promptListeners = new Listeners<Prompt | null>();
  /** Rejects the calls that are still unanswered when the device has ended. */
  readonly #abandon = new Set<(error: SvcDeviceError) => void>();
  #status: DeviceStatus;
  #prompt: Prompt | null = null;
  #attempts = 0;
  #ending: Promise<void> | null = null;

  constructor(ask: Ask, status: DeviceStatus, onEnded: () => void) {
    this.#ask = ask;
    this.#status = status;
    this.#onEnded = onEnded;
  }

  syncAsync(): Promise<SyncResult> {
    return this.#call('sync', {}, readSyncResult);
  }

  async verifyLiveAsync(scannedId: string, options: VerifyOptions = {}): Promise<VerificationResult> {
    checkId(scannedId);
    const headTurn = Object(options).headTurn ?? 'asked';
    if (headTurn !== 'asked' && headTurn !== 'alternative')
      throw new SvcDeviceError('message-invalid', "headTurn is neither 'asked' nor 'alternative'");
    this.#attempts += 1;
    try {
      return await this.#call('verify', { scannedId, headTurn }, readVerificationResult);
    } finally {
      this.#attempts -= 1;
      if (this.#attempts === 0) this.#show(null);
    }
  }

  cancel(): Promise<void> {
    return this.#call('cancel', {}, nothing);
  }

  confirmByStaff(): Promise<void> {
    return this.#call('confirmByStaff', {}, nothing);
  }

  async takeBackAdmission(scannedId: string): Promise<'taken-back' | 'not-admitted'> {
    checkId(scannedId);
    return await this.#call('takeBackAdmission', { scannedId }, readTakeBackOutcome);
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

  forget(): Promise<void> {
    if (this.#ending !== null) return Promise.reject(disposed());
    return this.#end('forget');
  }

  dispose(): Promise<void> {
    return this.#ending ?? this.#end('dispose');
  }

  receive(event: DeviceEvent): void {
    if (this.#ending !== null) return;
    if (event.name === 'status') {
      this.#status = event.status;
      this.#statusListeners.tell(event.status);
    } else if (this.#attempts > 0) this.#show(event.prompt);
  }

  #show(prompt: Prompt | null): void {
    if (prompt === null && this.#prompt === null) return;
    this.#prompt = prompt;
    this.#promptListeners.tell(prompt);
  }

  async #call<T>(name: string, body: object, read: (answer: unknown) => T): Promise<T> {
    if (this.#ending !== null) throw disposed();
    let abandon = (_error: SvcDeviceError): void => {};
    const abandoned = new Promise<never>((_resolve, reject) => {
      abandon = reject;
    });
    this.#abandon.add(abandon);
    try {
      return await Promise.race([this.#ask(name, body, read), abandoned]);
    } finally {
      this.#abandon.delete(abandon);
    }
  }

  /** Ends the device by a call, whatever that answers. */
  #end(name: 'forget' | 'dispose'): Promise<void> {
    this.#ending = this.#ask(name, {}, nothing).finally(() => {
      for (const abandon of this.#abandon) abandon(disposed());
      this.#show(null);
      this.#statusListeners.clear();
      this.#promptListeners.clear();
      this.#onEnded();
    });
    return this.#ending;
  }
}

const disposed = () => new SvcDeviceError('disposed', 'the device was disposed');
const nothing = (): void => {};

function checkId(scannedId: unknown): void {
  if (typeof scannedId !== 'string') throw new SvcDeviceError('message-invalid', 'the scanned ID is no string');
}

/** The device that is being created or has not ended; `device` is null until the native side has answered. */
interface DeviceSlot {
  device: NativeDevice | null;
}

/** @returns `createDevice` over a native module; null: the app was built without it. One device at a time. */
export function createDeviceFactory(native: Spec | null) {
  let current: DeviceSlot | null = null;

  return async function createDevice(configuration: DeviceConfiguration): Promise<Device> {
    if (native === null)
      throw new SvcDeviceError(
        'runtime-failed',
        'the native module SvcDevice is missing: build the app again after installing the package (Expo Go has none)',
      );
    const body = bodyOfConfiguration(configuration);
    if (current !== null) throw new SvcDeviceError('device-in-use', 'there is a device already: dispose of it first');
    const slot: DeviceSlot = { device: null };
    current = slot;
    const ask: Ask = async (name, content, read) => {
      try {
        return read(await native.call(name, JSON.stringify(content)));
      } catch (error) {
        throw errorOfNative(error);
      }
    };
    // Events before the answer to `configure` are older than the status in it.
    const subscription = native.onDeviceEvent((told) => {
      const event = readEvent(told);
      if (event !== null) slot.device?.receive(event);
    });
    const release = () => {
      subscription.remove();
      current = null;
    };
    try {
      slot.device = new NativeDevice(ask, await ask('configure', body, readStatus), release);
      return slot.device;
    } catch (error) {
      // The caller never gets this device: nothing of it stays open.
      if (SvcDeviceError.is(error) && error.code === 'message-invalid') void ask('dispose', {}, nothing).catch(nothing);
      release();
      throw error;
    }
  };
}
