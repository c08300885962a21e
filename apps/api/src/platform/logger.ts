import { type DestinationStream, type Logger, pino } from 'pino';
import type { LogLevel } from '../config/settings.ts';
import { sqlState } from './errors.ts';

/** A second safeguard: no logged object should have these fields, and if one has, they are not written. */
const REDACTED: ReadonlySet<string> = new Set([
  'apiKey',
  'token',
  'secret',
  'password',
  'personId',
  'imageBase64',
  'photo',
  'template',
  'listKey',
  'kek',
  'headers',
  'body',
]);
/** No logged object is deeper. */
const DEPTH = 8;

/** Copies without redacted fields: for a line's few fields this is faster than pino's own redaction by paths. */
function redacted(fields: object, depth = DEPTH): Record<string, unknown> {
  const kept: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields)) {
    if (!REDACTED.has(name)) kept[name] = isRecord(value) ? redactedBelow(value, depth) : value;
  }
  return kept;
}

/** Dates serialise themselves. */
const isRecord = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !('toJSON' in value);

function redactedBelow(value: object, depth: number): unknown {
  if (depth === 0) return '[deeper]';
  if (Array.isArray(value))
    return value.map((each: unknown) => (isRecord(each) ? redactedBelow(each, depth - 1) : each));
  return redacted(value, depth - 1);
}

/** JSON lines; those about a request contain its requestId. */
export function createLogger(level: LogLevel, destination?: DestinationStream): Logger {
  const options = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }), log: redacted },
  };
  return destination === undefined ? pino(options) : pino(options, destination);
}

/**
 * The loggable part of a foreign error: its kind and origin. Messages of drivers and libraries quote their input (a
 * row, a file, a header), so they are dropped.
 */
export function describeError(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { type: typeof error };
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  const constraint = sqlState(error) !== undefined && 'constraint' in error ? error.constraint : undefined;
  const stack = error.stack ?? '';
  // Lines of a multi-line message can look like stack frames.
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
