import { verify } from 'node:crypto';
import { HOUR_MS, PACKS_PATH, type PayloadQuery } from '@svc/protocol';
import type { SigningKey } from '../../crypto/signing-key.ts';

/** What a link leads to: enough for any node to build the payload again. */
export interface LinkedPayload extends Pick<PayloadQuery, 'account' | 'list' | 'from' | 'to'> {
  /** SHA-256 of the payload, base64url. */
  readonly payloadSha256: string;
}

/** A link works for one to two of these. */
const WINDOW_MS = HOUR_MS;

/** Differs from what is signed of an answer, which begins with `svc/sync/v1`. */
const signedText = ({ payloadSha256, account, list, from, to }: LinkedPayload, expires: number) =>
  Buffer.from(['svc/payload/v1', payloadSha256, account, list, from, to, expires].join('\0'));

/**
 * Path and query of a payload. It is the same for all devices that are sent the payload within an hour, whichever node
 * answers them, so that a cache has it once: the end is a full hour, and Ed25519 signs deterministically (RFC 8032).
 */
export function payloadLink(key: SigningKey, payload: LinkedPayload, nowMs: number): string {
  const expires = ((Math.floor(nowMs / WINDOW_MS) + 2) * WINDOW_MS) / 1000;
  const signature = Buffer.from(key.sign(signedText(payload, expires))).toString('base64url');
  const { payloadSha256, account, list, from, to } = payload;
  const query = new URLSearchParams({ account, list, from: `${from}`, to: `${to}`, expires: `${expires}`, signature });
  return `${PACKS_PATH}/${payloadSha256}?${query}`;
}

/**
 * Whole seconds that a link still works.
 * @param publicKeys those announced to devices, raw, in base64url: during a change of keys the former one's links work on
 * @returns null for a link that the service did not make, or that has ended
 */
export function secondsLeft(
  publicKeys: readonly string[],
  { payloadSha256, ...query }: PayloadQuery & LinkedPayload,
  nowMs: number,
): number | null {
  const { expires, signature } = query;
  const left = Math.floor(expires - nowMs / 1000);
  if (left <= 0 || left * 1000 > 2 * WINDOW_MS) return null;
  const signed = signedText({ payloadSha256, ...query }, expires);
  const isOurs = publicKeys.some((x) =>
    verify(
      null,
      signed,
      { key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' },
      Buffer.from(signature, 'base64url'),
    ),
  );
  return isOurs ? left : null;
}
