import type { DeviceStatus, Prompt, SyncResult, VerificationResult } from '@svc/device-sdk';
import type { Pairing } from '../pairing/pairing.ts';

/** Why there is no device to check in with. */
export const openFailures = [
  /** Another tab or window of this browser has it. */
  'device-in-use',
  'storage-failed',
  /** The assets hold no passive model, and nobody said that staff watch. */
  'passive-liveness-missing',
  /** The stored token or deployment is not one any more. */
  'configuration-invalid',
  'engine-failed',
] as const;
export type OpenFailure = (typeof openFailures)[number];

/** Whether to unpair is a way out; a device that another tab has is in use. */
export const mayUnpair = (failure: OpenFailure): boolean => failure !== 'device-in-use';

/** The device could not be opened, or not deleted; says why and nothing else. */
export class OpenError extends Error {
  override readonly name = 'OpenError';
  readonly failure: OpenFailure;
  constructor(failure: OpenFailure, options?: ErrorOptions) {
    super(failure, options);
    this.failure = failure;
  }
}

/** What the kiosk needs of the device SDK. */
export interface Device {
  status(): DeviceStatus;
  /** Called whenever {@link status} would differ. @returns ends it */
  onStatus(listener: (status: DeviceStatus) => void): () => void;
  /** Syncs now and then by itself. */
  start(): void;
  sync(): Promise<SyncResult>;
  /**
   * One attempt: starts the camera, shows it in `video`, tells what the person should do.
   * @param signal ends the attempt; its result then says nothing of the person
   */
  verify(o: {
    readonly scannedId: string;
    /** The person can't turn the head: what the list has instead. */
    readonly withoutTurn: boolean;
    readonly video: HTMLVideoElement;
    readonly onPrompt: (prompt: Prompt) => void;
    readonly signal: AbortSignal;
  }): Promise<VerificationResult>;
  /** Staff say that the person is there, while the prompt asks them. */
  confirmByStaff(): void;
  close(): Promise<void>;
}

export interface Devices {
  /** @throws OpenError */
  open(pairing: Pairing): Promise<Device>;
  /** Deletes what the device kept in this browser, the keys first. The device must be closed. @throws OpenError */
  forget(): Promise<void>;
}
