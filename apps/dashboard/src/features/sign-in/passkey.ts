import type { Api } from '../../api/client.ts';
import type { AnswerOf } from '../../api/operations.ts';

/** The library is fetched when a passkey is used. */
const webauthn = () => import('@simplewebauthn/browser');

/** Signs in with a passkey that the person chooses. @throws ApiError, or the browser's error */
export async function signInWithPasskey(api: Api): Promise<AnswerOf<'signInWithPasskey'>> {
  const { startAuthentication } = await webauthn();
  const { challengeId, options } = await api.call('beginPasskeySignIn');
  const response = await startAuthentication({ optionsJSON: options });
  return api.call('signInWithPasskey', { body: { challengeId, response } });
}

/** Confirms the signed-in person with a passkey. @throws ApiError, or the browser's error */
export async function reauthenticate(api: Api): Promise<AnswerOf<'reauthenticate'>> {
  const { startAuthentication } = await webauthn();
  const { challengeId, options } = await api.call('beginReauthentication');
  const response = await startAuthentication({ optionsJSON: options });
  return api.call('reauthenticate', { body: { challengeId, response } });
}

/** Makes a passkey on this device for the signed-in person. @throws ApiError, or the browser's error */
export async function createPasskey(api: Api, name: string): Promise<AnswerOf<'addPasskey'>> {
  const { startRegistration } = await webauthn();
  const { challengeId, options } = await api.call('beginPasskeyCreation');
  const response = await startRegistration({ optionsJSON: options });
  return api.call('addPasskey', { body: { challengeId, response, name } });
}

export const hasPasskeys = (): boolean => 'PublicKeyCredential' in globalThis;

const browsers = [
  [/Edg(e|A|iOS)?\//, 'Edge'],
  [/OPR\//, 'Opera'],
  [/Firefox\/|FxiOS\//, 'Firefox'],
  [/Chrome\/|CriOS\//, 'Chrome'],
  [/Safari\//, 'Safari'],
] as const;
const systems = [
  [/iPhone/, 'iPhone'],
  [/iPad/, 'iPad'],
  [/Android/, 'Android'],
  [/Windows/, 'Windows'],
  [/CrOS/, 'ChromeOS'],
  [/Mac OS X/, 'macOS'],
  [/Linux/, 'Linux'],
] as const;

/** A browser and its system in words, such as «Firefox, Windows». @returns null if neither is known */
export function describeBrowser(userAgent: string): string | null {
  const found = [browsers, systems].flatMap((known) => known.find(([pattern]) => pattern.test(userAgent))?.[1] ?? []);
  return found.length === 0 ? null : found.join(', ');
}
