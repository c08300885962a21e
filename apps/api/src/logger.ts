import { type DestinationStream, type Logger, pino } from 'pino';
import type { LogLevel } from './config.ts';

/** A second line of defence: nothing that is logged has fields of these names, and if it had, they would not be written. */
const REDACTED = [
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
];

/** JSON lines; what is about a request carries its requestId. */
export function createLogger(level: LogLevel, destination?: DestinationStream): Logger {
  const options = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    redact: { paths: REDACTED.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]), remove: true },
  };
  return destination === undefined ? pino(options) : pino(options, destination);
}
