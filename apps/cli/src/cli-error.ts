import type { FieldError } from '@svc/protocol';

/** Exit codes. Documented in docs/reference/cli.md; stable. */
export const exitCodes = {
  ok: 0,
  /** The command worked and its answer is “no”: another person, not verified, a claim that fails. */
  negative: 1,
  /** The command line or a file named in it cannot be used. */
  usage: 2,
  /** The installation lacks something: a model, a database, a configuration. */
  environment: 3,
  /** An internal error (EX_SOFTWARE of sysexits). */
  internal: 70,
} as const;

export type FailureExitCode = typeof exitCodes.usage | typeof exitCodes.environment;

/** A failure that the user can fix; printed as one line, without a stack. */
export class CliError extends Error {
  override readonly name = 'CliError';
  readonly exitCode: FailureExitCode;

  constructor(message: string, exitCode: FailureExitCode = exitCodes.usage, options?: ErrorOptions) {
    super(message, options);
    this.exitCode = exitCode;
  }
}

/** A field of a request, and what is wrong with it. */
export const describeField = ({ pointer = '', detail }: FieldError): string =>
  pointer.length < 2 ? detail : `${pointer.slice(1)}: ${detail}`;
