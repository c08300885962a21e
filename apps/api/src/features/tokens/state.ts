import { type EnrolmentTokenState, MAX_PHOTO_ATTEMPTS } from '@svc/protocol';
import type { TokenMarks } from './store.ts';

/** True while a photo of the token is being looked at. */
export function isExamined(token: Pick<TokenMarks, 'examinationUntil'>, nowMs: number): boolean {
  return token.examinationUntil !== null && token.examinationUntil.getTime() > nowMs;
}

/** What has become of a token: what was done with it comes before what time did. At `expiresAt` it is expired. */
export function tokenStateOf(token: TokenMarks, nowMs: number): EnrolmentTokenState {
  if (token.usedAt !== null) return 'used';
  if (token.declinedAt !== null) return 'declined';
  if (token.revokedAt !== null) return 'revoked';
  if (token.attempts >= MAX_PHOTO_ATTEMPTS && !isExamined(token, nowMs)) return 'exhausted';
  return token.expiresAt.getTime() <= nowMs ? 'expired' : 'valid';
}

/** Photos that may still turn out unusable. */
export function attemptsLeftOf(token: Pick<TokenMarks, 'attempts'>): number {
  return Math.max(0, MAX_PHOTO_ATTEMPTS - token.attempts);
}
