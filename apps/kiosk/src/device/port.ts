import { FaceError } from '@svc/core';

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
  /** The browser lacks something that was in all browsers for years; `https`: the page is not served so. */
  'webview-too-old',
  'engine-failed',
] as const;
export type OpenFailure = (typeof openFailures)[number];

/** Whether unpairing can help; not for a device that is open in another tab. */
export const mayUnpair = (failure: OpenFailure): boolean => failure !== 'device-in-use';

/**
 * What failed, for support: the code and the words of an error of ours, and of the browser's only the name, because its
 * words may tell addresses.
 */
export function detailsOf(error: unknown): string {
  if (!FaceError.is(error)) return error instanceof Error ? error.name : typeof error;
  const { code, message, cause } = error;
  return `${code}: ${message}${cause === undefined ? '' : ` (${detailsOf(cause)})`}`;
}

/** The device could not be opened or deleted. Contains only the reason, and {@link detailsOf} its cause. */
export class OpenError extends Error {
  override readonly name = 'OpenError';
  readonly failure: OpenFailure;
  readonly details: string | null;
  constructor(failure: OpenFailure, details: string | null = null, options?: ErrorOptions) {
    super(failure, options);
    this.failure = failure;
    this.details = details;
  }
}
