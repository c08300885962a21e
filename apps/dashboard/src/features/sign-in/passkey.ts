import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/browser';
import { attempt, tellIfSlow } from '@svc/page-kit';
import { api } from '../../api/client.ts';
import type { AnswerOf, InputOf } from '../../api/operations.ts';
import { toast } from '../../components/status.tsx';
import { say } from '../../text/index.ts';

// The library's types and the service's describe the same JSON of WebAuthn.
type Answer = InputOf<'signInWithPasskey'>['body']['response'];
type NewAnswer = InputOf<'addPasskey'>['body']['response'];

async function askForPasskey(options: object): Promise<Answer> {
  const { startAuthentication } = await webauthn();
  const optionsJSON = options as PublicKeyCredentialRequestOptionsJSON;
  const answer: AuthenticationResponseJSON = await asked(startAuthentication({ optionsJSON }));
  return answer as unknown as Answer;
}

/** A person answers, who may not have seen the browser’s question. */
function asked<Answer>(answer: Promise<Answer>): Promise<Answer> {
  let close = (): void => undefined;
  return tellIfSlow(answer, (isSlow) => {
    if (isSlow) close = toast({ text: say('sign-in.passkey-asked'), tone: 'bad' });
    else close();
  });
}

/** The library is fetched when a passkey is used. */
const webauthn = () => import('@simplewebauthn/browser');

/** Signs in with a passkey that the person chooses. @throws ApiError, or the browser's error */
export async function signInWithPasskey(): Promise<AnswerOf<'signInWithPasskey'>> {
  const { challengeId, options } = await api.call('beginPasskeySignIn');
  const response = await askForPasskey(options);
  return api.call('signInWithPasskey', { body: { challengeId, response } });
}

/** Confirms the signed-in person with a passkey. @throws ApiError, or the browser's error */
export async function reauthenticate(): Promise<AnswerOf<'reauthenticate'>> {
  const { challengeId, options } = await api.call('beginReauthentication');
  const response = await askForPasskey(options);
  return api.call('reauthenticate', { body: { challengeId, response } });
}

/** Makes a passkey on this device for the signed-in person. @throws ApiError, or the browser's error */
export async function createPasskey(name: string): Promise<AnswerOf<'addPasskey'>> {
  const { startRegistration } = await webauthn();
  const { challengeId, options } = await api.call('beginPasskeyCreation');
  const optionsJSON = options as unknown as PublicKeyCredentialCreationOptionsJSON;
  const answer = await asked(startRegistration({ optionsJSON }));
  return api.call('addPasskey', { body: { challengeId, response: answer as unknown as NewAnswer, name } });
}

export const hasPasskeys = (): boolean =>
  attempt(() => typeof PublicKeyCredential === 'function' && typeof navigator.credentials.get === 'function', false);

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

/** A browser and its system in words, such as “Firefox, Windows”. @returns null if neither is known */
export function describeBrowser(userAgent: string): string | null {
  const found = [browsers, systems].flatMap((known) => known.find(([pattern]) => pattern.test(userAgent))?.[1] ?? []);
  return found.length === 0 ? null : found.join(', ');
}

/** Whether somebody may have this address, before the service is asked. */
export const isAddress = (email: string): boolean => /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(email.trim());
