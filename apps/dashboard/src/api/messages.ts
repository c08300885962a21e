import { useSay } from '../app/language.tsx';
import type { DashboardSay, TextKey } from '../text/index.ts';
import { ApiError } from './errors.ts';

/** What went wrong, and what to do. */
export interface Message {
  readonly title: string;
  readonly help: string;
}

/** Errors with words of their own: `errors.<code>` is the title, `errors.<code>.help` what to do. */
export const spokenErrors = [
  'no-connection',
  'rate-limited',
  'overloaded',
  'internal-error',
  'insufficient-scope',
  'not-found',
  'invalid-request',
  'reauthentication-required',
  'plan-limit-reached',
  'no-plan',
] as const;
type Spoken = (typeof spokenErrors)[number];

/** Says an error in the page's language: codes without words of their own are named. */
export function messageOf(error: unknown, say: DashboardSay): Message {
  // What a browser throws when a person closes its dialog for passkeys.
  if (error instanceof Error && error.name === 'NotAllowedError') {
    return { title: say('errors.cancelled'), help: say('errors.cancelled.help') };
  }
  const code = error instanceof ApiError ? error.code : null;
  const spoken = spokenErrors.find((each): each is Spoken => each === code);
  if (spoken !== undefined) {
    return { title: say(`errors.${spoken}`), help: say(`errors.${spoken}.help` as TextKey) };
  }
  return { title: say('errors.other'), help: say('errors.other.help', { code: code ?? 'unknown' }) };
}

/** A hook: {@link messageOf} in the page's language. */
export function useMessageOf(): (error: unknown) => Message {
  const say = useSay();
  return (error) => messageOf(error, say);
}
