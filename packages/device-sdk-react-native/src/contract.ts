import {
  type ConfigureRequest,
  checkOf,
  type DeviceStatus,
  type Prompt,
  type StatusBody,
  type SyncAnswer,
  type TakeBackAnswer,
  type VerifyAnswer,
} from '@svc/device-sdk-native';
import { SvcDeviceError } from './device-error.ts';

type Required = 'deviceToken' | 'region';

/**
 * Configuration of a device. `deviceToken` (`svcd_…`) is not stored: keep it with the app's own secrets. Defaults:
 * `passiveLiveness: 'required'`, `lightChallenge: 'off'`, `prompts: 'page'`, `camera: 'user'`.
 */
export type DeviceConfiguration = Pick<ConfigureRequest, Required> &
  Partial<Omit<ConfigureRequest, Required | 'minor' | 'shell'>>;

const DEFAULTS = { passiveLiveness: 'required', lightChallenge: 'off', prompts: 'page', camera: 'user' } as const;
/** Members that the native side adds, and stand-ins for those that have no default. */
const REST = {
  minor: 0,
  shell: { platform: 'react-native', version: '0', osVersion: '0' },
  deviceToken: '',
  region: { name: 'EU' },
} as const;
const MEMBERS = ['deviceToken', 'region', ...Object.keys(DEFAULTS), 'maxSyncBytes', 'syncTimeoutMs', 'language'];

/** The body of `configure`, with defaults. @throws SvcDeviceError `configuration-invalid`, naming the member */
export function bodyOfConfiguration(configuration: DeviceConfiguration): object {
  const refuse = (what: string) => new SvcDeviceError('configuration-invalid', what);
  if (typeof configuration !== 'object' || configuration === null) throw refuse('the configuration is no object');
  // A member that is undefined is absent.
  const given = Object.entries(configuration).filter(([, value]) => value !== undefined);
  const check = checkOf('ConfigureRequest');
  for (const [name, value] of given) {
    if (!MEMBERS.includes(name))
      throw refuse(`the configuration has an unknown member${isPlain(name) ? `: ${name}` : ''}`);
    if (!check({ ...DEFAULTS, ...REST, [name]: value })) throw refuse(`${name} is not as the contract wants it`);
  }
  const missing = (['deviceToken', 'region'] as const).find((name) => !configuration[name]);
  if (missing !== undefined) throw refuse(`${missing} is missing`);
  return { ...DEFAULTS, ...Object.fromEntries(given) };
}

const isPlain = (name: string): boolean => /^\w{1,32}$/.test(name);

/** The value of a JSON text, if it is one object; else null. */
function objectOf(text: unknown): Readonly<Record<string, unknown>> | null {
  if (typeof text !== 'string') return null;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && !Array.isArray(value) ? (value as Record<string, unknown> | null) : null;
  } catch {
    return null;
  }
}

function answered<T>(definition: string, text: unknown): T {
  const value = objectOf(text);
  if (value !== null && checkOf(definition)(value)) return value as T;
  throw new SvcDeviceError('message-invalid', `the native side answered no ${definition} of the contract`);
}

// Bodies of answers; @throws SvcDeviceError `message-invalid`
export const readStatus = (text: unknown) => answered<StatusBody>('StatusBody', text).status;
export const readSyncResult = (text: unknown) => answered<SyncAnswer>('SyncAnswer', text).result;
export const readVerificationResult = (text: unknown) => answered<VerifyAnswer>('VerifyAnswer', text).result;
export const readTakeBackOutcome = (text: unknown) => answered<TakeBackAnswer>('TakeBackAnswer', text).outcome;

/** An event that the contract allows; `prompt` without its attempt, because the shell tells those of its own alone. */
export type DeviceEvent =
  | { readonly name: 'status'; readonly status: DeviceStatus }
  | { readonly name: 'prompt'; readonly prompt: Prompt | null };

/** Null: not an event that the contract allows. */
export function readEvent(event: unknown): DeviceEvent | null {
  const { name, body: text } = Object(event) as { readonly name?: unknown; readonly body?: unknown };
  const body = objectOf(text);
  if (body === null) return null;
  if (name === 'status') return checkOf('StatusBody')(body) ? { name, status: body.status as DeviceStatus } : null;
  if (name !== 'prompt' || !('prompt' in body)) return null;
  const prompt = body.prompt as Prompt | null;
  return prompt === null || checkOf('Prompt')(prompt) ? { name, prompt } : null;
}
