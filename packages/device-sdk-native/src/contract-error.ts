import { definitions } from './definitions.ts';
import type { Failure, FailureCode } from './messages.ts';

const codes: readonly unknown[] = definitions.FailureCode?.enum ?? [];

/** A failure of a request, on either side. */
export class ContractError extends Error {
  override readonly name = 'ContractError';
  readonly code: FailureCode;

  /** @param message English, for developers: no secret, no id of a person, no score, no picture */
  constructor(code: FailureCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/**
 * The body of a failure for an error. Errors with a code of the contract keep code and message; of others nothing is
 * told but that there was one.
 */
export function failureOf(error: unknown): Failure {
  const { code, message } =
    error instanceof Error ? (error as Error & { code?: unknown }) : { code: null, message: '' };
  if (!codes.includes(code)) return { code: 'runtime-failed', message: 'an unexpected error' };
  return { code: code as FailureCode, message: message.slice(0, 512) };
}
