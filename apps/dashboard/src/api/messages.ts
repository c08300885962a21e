import { useSay } from '../app/language.tsx';
import type { DashboardSay, TextKey } from '../text/index.ts';
import { ApiError } from './errors.ts';

/** What went wrong, and what to do. */
export interface Message {
  readonly title: string;
  readonly help: string;
}

/** Errors with words of their own: `errors.<code>` is the title, `errors.<code>.help` what to do. */
export const spokenErrors: ReadonlySet<string> = new Set([
  ...['no-connection', 'unrecognised-answer', 'rate-limited', 'overloaded', 'internal-error', 'not-ready'],
  ...['insufficient-scope', 'not-found', 'invalid-request', 'request-too-large', 'request-in-flight'],
  ...['secret-already-issued', 'plan-limit-reached', 'no-plan', 'account-suspended'],
  ...['event-ended', 'event-has-list', 'event-without-list', 'list-without-event', 'list-ended', 'enrolment-closed'],
  ...['widget-settings-missing', 'mail-not-configured', 'mailing-limit-reached', 'logo-invalid', 'model-unavailable'],
  ...['model-missing', 'check-in-origin-not-allowed', 'consent-version-mismatch', 'camera-required', 'image-invalid'],
  ...['no-face', 'several-faces', 'face-too-small', 'too-dark', 'too-bright', 'blurred', 'turned-away', 'covered'],
  ...['photo-not-live', 'different-person', 'api-key-limit-reached', 'webhook-limit-reached', 'webhook-disabled'],
  ...['delivery-erased', 'user-exists', 'user-limit-reached', 'user-disabled', 'last-owner'],
  ...['reauthentication-required', 'csrf-token-invalid', 'sign-in-unavailable', 'sign-in-failed', 'link-invalid'],
  ...['no-passkey', 'passkey-refused', 'passkey-limit-reached', 'last-passkey'],
]);

/** Errors that browsers throw when they are asked for a passkey, by their names in WebAuthn. */
const browserErrors: Readonly<Record<string, 'cancelled' | 'passkey-exists'>> = {
  NotAllowedError: 'cancelled',
  AbortError: 'cancelled',
  InvalidStateError: 'passkey-exists',
};

/** Says an error in the page's language: codes without words of their own are named. */
export function messageOf(error: unknown, say: DashboardSay): Message {
  const code = error instanceof ApiError ? error.code : null;
  const spoken =
    code !== null && spokenErrors.has(code) ? code : error instanceof Error ? browserErrors[error.name] : undefined;
  if (spoken !== undefined) {
    return { title: say(`errors.${spoken}` as TextKey), help: say(`errors.${spoken}.help` as TextKey) };
  }
  return { title: say('errors.other'), help: say('errors.other.help', { code: code ?? 'unknown' }) };
}

/** A hook: {@link messageOf} in the page's language. */
export function useMessageOf(): (error: unknown) => Message {
  const say = useSay();
  return (error) => messageOf(error, say);
}
