import { sqlState } from '../db/connection.ts';

/**
 * What may be written about an error that is not one of ours: its kind and where it arose. Messages of drivers and
 * libraries quote their input (a row, a file, a header), so no message is written.
 */
export function describeError(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { type: typeof error };
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  const constraint = sqlState(error) !== undefined && 'constraint' in error ? error.constraint : undefined;
  const stack = error.stack ?? '';
  // A message of several lines can look like frames.
  const behindMessage = stack.indexOf(error.message) < 0 ? 0 : stack.indexOf(error.message) + error.message.length;
  const frames = stack
    .slice(behindMessage)
    .split('\n')
    .filter((line) => /^\s+at /.test(line))
    .slice(0, 12)
    .map((line) => line.trim());
  return {
    type: error.name,
    ...(code === undefined ? {} : { code }),
    ...(typeof constraint === 'string' ? { constraint } : {}),
    frames,
    ...(error.cause === undefined ? {} : { cause: describeError(error.cause) }),
  };
}
