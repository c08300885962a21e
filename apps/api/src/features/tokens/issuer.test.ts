import { MAX_PHOTO_ATTEMPTS } from '@svc/protocol';
import { describe, expect, it } from 'vitest';
import { attemptsLeftOf, isExamined, tokenStateOf } from './issuer.ts';
import type { TokenMarks } from './store.ts';

const NOW = Date.UTC(2026, 5, 1);
const at = (ms: number) => new Date(NOW + ms);
const marks = (o: Partial<TokenMarks> = {}): TokenMarks => ({
  attempts: 0,
  examinationUntil: null,
  usedAt: null,
  declinedAt: null,
  revokedAt: null,
  expiresAt: at(1),
  ...o,
});

describe('the state of a token', () => {
  it.each([
    ['valid', {}],
    ['valid', { attempts: MAX_PHOTO_ATTEMPTS - 1 }],
    ['expired', { expiresAt: at(0) }],
    ['expired', { expiresAt: at(-1) }],
    ['exhausted', { attempts: MAX_PHOTO_ATTEMPTS }],
    ['exhausted', { attempts: MAX_PHOTO_ATTEMPTS, expiresAt: at(-1) }],
    ['exhausted', { attempts: MAX_PHOTO_ATTEMPTS, examinationUntil: at(0) }],
    ['valid', { attempts: MAX_PHOTO_ATTEMPTS, examinationUntil: at(1) }],
    ['revoked', { revokedAt: at(-5), expiresAt: at(-1) }],
    ['declined', { declinedAt: at(-5), expiresAt: at(-1), attempts: MAX_PHOTO_ATTEMPTS }],
    ['used', { usedAt: at(-5), expiresAt: at(-1), attempts: MAX_PHOTO_ATTEMPTS }],
  ] as const)('%s: %j', (state, given) => {
    expect(tokenStateOf(marks(given), NOW)).toBe(state);
  });

  it('a photo is looked at until its time is over', () => {
    expect([at(1), at(0), null].map((until) => isExamined(marks({ examinationUntil: until }), NOW))).toEqual([
      true,
      false,
      false,
    ]);
  });

  it('counts down, and never below nothing', () => {
    expect([0, 4, 5, 6].map((attempts) => attemptsLeftOf({ attempts }))).toEqual([5, 1, 0, 0]);
  });
});
