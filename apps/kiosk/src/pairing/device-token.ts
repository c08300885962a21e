import { isSecret, secretPrefixOf } from '@svc/protocol';

/** Why a text is no device token. */
export type TokenProblem = 'not-a-token' | 'another-secret';

/**
 * The device token in what was typed, pasted or scanned: blanks around it, and line breaks that a terminal put into it, are not part of it.
 * The checksum in the token catches what was mistyped before anything is asked of the service.
 */
export function readDeviceToken(
  text: string,
): { readonly ok: true; readonly token: string } | { readonly ok: false; readonly problem: TokenProblem } {
  const token = text.replace(/\s+/g, '');
  if (isSecret('svcd', token)) return { ok: true, token };
  const prefix = secretPrefixOf(token);
  return { ok: false, problem: prefix === null || prefix === 'svcd' ? 'not-a-token' : 'another-secret' };
}
