import type { DeviceStatus, Prompt, VerificationResult } from '@svc/device-sdk';
import type { Pairing } from '../pairing/pairing.ts';

/** Why the device cannot be opened. */
export const openFailures = [
  /** Open in another tab or window of this browser. */
  'device-in-use',
  'storage-failed',
  /** The assets have no passive model, and staff supervision was not declared. */
  'passive-liveness-missing',
  /** The stored token or deployment is invalid. */
  'configuration-invalid',
  /** Switched off, as in the Lockdown Mode of iOS. */
  'webassembly-missing',
  /** The browser lacks something that was in all browsers for years. */
  'webview-too-old',
  'engine-failed',
] as const;
export type OpenFailure = (typeof openFailures)[number];

/** Whether unpairing can help; not for a device that is open in another tab. */
export const mayUnpair = (failure: OpenFailure): boolean => failure !== 'device-in-use';

/** The device could not be opened or deleted. Contains only the reason. */
export class OpenError extends Error {
  override readonly name = 'OpenError';
  readonly failure: OpenFailure;
  constructor(failure: OpenFailure, options?: ErrorOptions) {
    super(failure, options);
    this.failure = failure;
  }
}

/** The part of the device SDK that the kiosk needs. */
export interface Device {
  status(): DeviceStatus;
  /** Called when {@link status} has changed, until the device is closed. */
  onStatus(listener: (status: DeviceStatus) => void): void;
  /** Starts periodic syncs. */
  start(): void;
  sync(): Promise<unknown>;
  /** Asks the service for nothing but an answer. False if there is none before `signal` aborts. */
  reach(signal: AbortSignal): Promise<boolean>;
  /**
   * One attempt: starts the camera, shows it in `video`, and prompts the person.
   * @param signal ends the attempt; its result then says nothing about the person
   */
  verify(o: {
    readonly scannedId: string;
    /** The person can't turn the head: use the list's alternative. */
    readonly withoutTurn: boolean;
    readonly video: HTMLVideoElement;
    readonly onPrompt: (prompt: Prompt) => void;
    readonly signal: AbortSignal;
  }): Promise<VerificationResult>;
  /** Staff confirm that the person is present; valid while the prompt asks for it. */
  confirmByStaff(): void;
  /** Staff take back that the person was let in. */
  takeBack(scannedId: string): Promise<unknown>;
  close(): Promise<void>;
}

export interface Devices {
  /** @throws OpenError */
  open(pairing: Pairing): Promise<Device>;
  /**
   * Deletes the device's data in this browser, keys first. The device must be closed.
   * @param o.keepDeviceKey the device's own key pair stays, so that its token can be used in this browser again
   * @throws OpenError
   */
  forget(o: { readonly keepDeviceKey: boolean }): Promise<void>;
}
