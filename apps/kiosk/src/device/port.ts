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
