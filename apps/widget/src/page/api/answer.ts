import type { ErrorCode, Problem } from '@svc/protocol';
import { photoRefusals } from '@svc/protocol';
import type { FlowEvent } from '../flow/events.ts';
import type { Ending } from '../flow/state.ts';

/** What the service's refusals mean to the guest; any other one that is for good is `failed`. */
const endingOf: Partial<Readonly<Record<ErrorCode, Ending>>> = {
  'token-used': 'used',
  'token-expired': 'expired',
  'token-exhausted': 'exhausted',
  'invalid-credential': 'invalid',
  'wrong-credential': 'invalid',
  'missing-credential': 'invalid',
  'list-ended': 'closed',
  'enrolment-closed': 'closed',
  'account-suspended': 'unavailable',
  'no-plan': 'unavailable',
  'plan-limit-reached': 'unavailable',
};
/** Another try may be answered otherwise, whatever its status. */
const passing: ReadonlySet<string> = new Set([
  'photo-in-progress',
  'request-in-flight',
  'rate-limited',
] satisfies ErrorCode[]);

/** Seconds, or a date (RFC 9110 section 10.2.3). @returns null where there is none */
function retryAfterMs(headers: Headers): number | null {
  const value = headers.get('Retry-After');
  if (value === null) return null;
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return Number.isFinite(ms) && ms >= 0 ? ms : null;
}

/**
 * What a refusal of the service does to the flow.
 * @param problem its body; null where the answer came from somebody else on the way, as a captive portal's does
 */
export function eventOfProblem(status: number, headers: Headers, problem: Problem | null): FlowEvent {
  if (status >= 500 || status === 408 || status === 429 || passing.has(problem?.code ?? '')) {
    return { type: 'unreachable', kind: 'busy', retryAfterMs: retryAfterMs(headers) };
  }
  if (problem === null) return { type: 'unreachable', kind: 'offline', retryAfterMs: null };
  if (problem.code === 'consent-version-mismatch') return { type: 'wording-changed' };
  const refusal = photoRefusals.find((code) => code === problem.code);
  if (refusal !== undefined) return { type: 'photo-refused', refusal, attemptsLeft: problem.attemptsLeft ?? 0 };
  return { type: 'ended', why: endingOf[problem.code as ErrorCode] ?? 'failed', message: problem.title };
}
