import { checkOf, type FailureCode } from '@svc/device-sdk-native';

// Registered globally, so that errors of another copy of this package are recognised.
const marker = Symbol.for('svc.device-error');

/** The error of every rejected call. Distinguish by `code`; the message is for developers and contains no input. */
export class SvcDeviceError extends Error {
  override readonly name = 'SvcDeviceError';
  readonly code: FailureCode;

  constructor(code: FailureCode, message: string) {
    super(message);
    this.code = code;
    Object.defineProperty(this, marker, { value: true });
  }

  /** True for a SvcDeviceError of any copy of this package. */
  static is(error: unknown): error is SvcDeviceError {
    return typeof error === 'object' && error !== null && marker in error;
  }
}

const isFailureCode = (code: unknown): code is FailureCode => checkOf('FailureCode')(code);

/**
 * What a native promise rejected with, as an error of ours. The message of an exception that is not a failure of the
 * contract is dropped, because it may quote anything; its code stays if it is a plain name.
 */
export function errorOfNative(rejected: unknown): SvcDeviceError {
  if (SvcDeviceError.is(rejected)) return rejected;
  const { code, message } = Object(rejected) as { readonly code?: unknown; readonly message?: unknown };
  if (isFailureCode(code)) return new SvcDeviceError(code, typeof message === 'string' ? message : code);
  const name = typeof code === 'string' && /^[\w.-]{1,64}$/.test(code) ? ` (${code})` : '';
  return new SvcDeviceError('runtime-failed', `the native side failed in an unforeseen way${name}`);
}
