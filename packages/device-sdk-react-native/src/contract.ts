import {
  type ConfigureRequest,
  checkOf,
  type DeviceStatus,
  type Failure,
  type PromptEvent,
  type SyncResult,
  type VerificationResult,
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

/** The configuration as JSON text, with defaults. @throws SvcDeviceError `configuration-invalid`, naming the member */
export function configurationText(configuration: DeviceConfiguration): string {
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
  return JSON.stringify({ ...DEFAULTS, ...Object.fromEntries(given) });
}

const isPlain = (name: string): boolean => /^\w{1,32}$/.test(name);

/** The value of a JSON text if the definition of the contract allows it, else null. No definition here allows null. */
function parsed<T>(definition: string, text: unknown): T | null {
  if (typeof text !== 'string') return null;
  try {
    const value: unknown = JSON.parse(text);
    return checkOf(definition)(value) ? (value as T) : null;
  } catch {
    return null;
  }
}

function answered<T>(definition: string, text: unknown): T {
  const value = parsed<T>(definition, text);
  if (value === null)
    throw new SvcDeviceError('message-invalid', `the native side answered no ${definition} of the contract`);
  return value;
}

// Answers; @throws SvcDeviceError `message-invalid`
export const readStatus = (text: unknown) => answered<DeviceStatus>('DeviceStatus', text);
export const readSyncResult = (text: unknown) => answered<SyncResult>('SyncResult', text);
export const readVerificationResult = (text: unknown) => answered<VerificationResult>('VerificationResult', text);

export function readTakeBackOutcome(answer: unknown): 'taken-back' | 'not-admitted' {
  if (answer === 'taken-back' || answer === 'not-admitted') return answer;
  throw new SvcDeviceError('message-invalid', 'the native side answered no TakeBackOutcome of the contract');
}

// Bodies of events; null if the contract does not allow them.
export const readStatusEvent = (text: string) =>
  parsed<{ readonly status: DeviceStatus }>('StatusBody', text)?.status ?? null;
export const readPromptEvent = (text: string) => parsed<PromptEvent>('PromptEvent', text);
export const readFault = (text: string) => parsed<Failure>('Failure', text);
